import { showPage } from '../shared/show-page';
import { Console } from './Console';
import './console.css';

void showPage(<Console />);
