import { showPage } from '../shared/show-page';
import { Desk } from './Desk';
import './desk.css';

void showPage(<Desk />);
