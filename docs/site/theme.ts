// The default theme with the reader's own fonts, which also have Chinese.
import './theme.css';
export { default } from 'vitepress/theme-without-fonts';
