// The site: pages in English (/en) and Chinese (/zh), and pages in English only, which both link to.
import { defineConfig, type DefaultTheme } from 'vitepress';
import { copiesCommands } from './prompts';

interface Names {
  start: string;
  guides: string;
  verdicts: string;
  reference: string;
  pages: Record<string, string>;
}

const EN: Names = {
  start: 'Start',
  guides: 'Guides',
  verdicts: 'Verdicts',
  reference: 'Reference',
  pages: {
    '': 'Overview',
    tutorial: 'Tutorial: your first bug',
    commands: 'All commands by task',
    'first-day': 'First day with your chip',
    vendors: 'For vendors',
    models: 'A model at its true size',
    ci: 'For CI',
    labs: 'For labs',
    frameworks: 'For framework engineers',
    troubleshooting: 'Troubleshooting',
    outcomes: 'Outcomes and columns',
    tolerance: 'Where a tolerance comes from',
    contracts: 'Contracts',
    'bring-a-gpu': 'For a lab with an NVIDIA GPU',
    method: 'The method in full',
    'language-models': 'Language models',
    detection: 'Detection and 3-D vision',
    results: 'Measured results',
    architecture: 'Architecture',
    'operator-files': 'Operator files',
    profiles: 'Device profiles',
    expectations: 'Gate and expectations',
    http: 'HTTP API',
    grpc: 'gRPC',
    'diopi-agent': 'diopi-agent',
    'diopi-cli': 'diopi-cli',
    'diopi-server': 'diopi-server',
    'untrusted-libraries': 'Untrusted libraries',
    glossary: 'Glossary',
    changes: 'Changes',
  },
};

const ZH: Names = {
  start: '开始',
  guides: '指南',
  verdicts: '判定',
  reference: '参考资料',
  pages: {
    '': '总览',
    tutorial: '教程：找到第一个缺陷',
    commands: '按任务查命令',
    'first-day': '芯片到手第一天',
    vendors: '面向芯片厂商',
    models: '真实尺寸的模型',
    ci: '持续集成',
    labs: '面向评测实验室',
    frameworks: '面向框架工程师',
    troubleshooting: '故障排查',
    outcomes: '结果与各列的含义',
    tolerance: '容差的由来',
    contracts: '算术约定',
    'bring-a-gpu': '面向有 NVIDIA GPU 的实验室（英文）',
    method: '完整方法（英文）',
    'language-models': '语言模型（英文）',
    detection: '检测与三维视觉（英文）',
    results: '实测数据（英文）',
    architecture: '架构（英文）',
    'operator-files': '算子文件手册（英文）',
    profiles: '芯片配置文件（英文）',
    expectations: '门禁与预期文件（英文）',
    http: 'HTTP 接口（英文）',
    grpc: 'gRPC 接口（英文）',
    'diopi-agent': 'diopi-agent（英文）',
    'diopi-cli': 'diopi-cli（英文）',
    'diopi-server': 'diopi-server（英文）',
    'untrusted-libraries': '不可信的算子库（英文）',
    glossary: '术语表',
    changes: '变更记录（英文）',
  },
};

function sidebar(language: string, names: Names): DefaultTheme.SidebarItem[] {
  const link = (folder: string) => (page: string) => ({ text: names.pages[page] ?? page, link: `/${folder}${page}` });
  return [
    { text: names.start, items: ['', 'tutorial', 'first-day'].map(link(`${language}/`)) },
    {
      text: names.guides,
      items: [
        ...['commands', 'vendors', 'models', 'ci', 'labs', 'frameworks', 'troubleshooting'].map(link(`${language}/`)),
        link('')('bring-a-gpu'),
      ],
    },
    {
      text: names.verdicts,
      items: [
        ...['outcomes', 'tolerance', 'contracts'].map(link(`${language}/`)),
        ...['method', 'language-models', 'detection', 'results'].map(link('')),
      ],
    },
    {
      text: names.reference,
      items: [
        ...['diopi-agent', 'diopi-cli', 'diopi-server', 'operator-files', 'profiles', 'expectations', 'http', 'grpc'].map(
          link('reference/'),
        ),
        ...['untrusted-libraries', 'glossary', 'architecture'].map(link('')),
        link('reference/')('changes'),
      ],
    },
  ];
}

// Chinese has no spaces, and the search finds beginnings of words: so a word begins at every character. Headings stay as they
// are, because the search shows them.
function searchable(html: string): string {
  const words = (run: string) => [...run].map((_, i) => run.slice(i, i + 6)).join(' ');
  return html
    .split(/(<h\d[^]*?<\/h\d>)/)
    .map((part) => (/^<h\d/.test(part) ? part : part.replace(/[\u3400-\u9fff]+/g, (run) => ` ${words(run)} `)))
    .join('');
}

export default defineConfig({
  srcDir: 'pages',
  outDir: 'dist',
  base: '/docs/',
  title: 'diopi-conformance',
  head: [
    ['meta', { name: 'referrer', content: 'no-referrer' }],
    ['link', { rel: 'icon', href: 'data:,' }],
  ],
  markdown: { languageAlias: { textproto: 'proto', example: 'console' }, codeTransformers: [copiesCommands] },
  lastUpdated: false,
  locales: {
    en: { label: 'English', lang: 'en', link: '/en/', description: 'Decides whether an AI chip computes correctly' },
    zh: {
      label: '简体中文',
      lang: 'zh-CN',
      link: '/zh/',
      description: '判断 AI 芯片算得对不对',
      themeConfig: {
        outline: { label: '本页内容' },
        docFooter: { prev: '上一页', next: '下一页' },
        darkModeSwitchLabel: '主题',
        lightModeSwitchTitle: '切换到浅色',
        darkModeSwitchTitle: '切换到深色',
        sidebarMenuLabel: '目录',
        returnToTopLabel: '回到顶部',
        langMenuLabel: '语言',
        skipToContentLabel: '跳到正文',
      },
    },
  },
  themeConfig: {
    sidebar: { '/zh/': sidebar('zh', ZH), '/': sidebar('en', EN) },
    outline: 'deep',
    externalLinkIcon: true,
    search: {
      provider: 'local',
      options: {
        locales: {
          zh: {
            translations: {
              button: { buttonText: '搜索', buttonAriaLabel: '搜索' },
              modal: {
                noResultsText: '没有结果',
                resetButtonTitle: '清除',
                backButtonTitle: '返回',
                displayDetails: '显示详情',
                footer: { selectText: '打开', navigateText: '移动', closeText: '关闭' },
              },
            },
          },
        },
        // Functions of the configuration would be evaluated in the browser, which the server's policy forbids. One whose
        // name begins with an underscore stays here.
        _render: (text, env, md) => searchable(md.render(text, env)),
      },
    },
  },
});
