import './reader.css';
import { showPage } from '../shared/show-page';
import { Reader } from './Reader';

void showPage(<Reader />, { isKept: true });
