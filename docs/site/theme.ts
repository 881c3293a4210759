// The default theme with the reader's own fonts, which also have Chinese.
export { default } from 'vitepress/theme-without-fonts';
