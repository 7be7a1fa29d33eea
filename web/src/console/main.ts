import { mount } from 'svelte';
import App from '$/App.svelte';
import { i18n } from '$/lib/i18n.svelte';
import { router } from '$/lib/router.svelte';
import '$/styles/tokens.css';
import '$/styles/base.css';

const target = document.getElementById('app');
if (!target) throw new Error('index.html has no #app');
router.start();
await i18n.load();
mount(App, { target });
