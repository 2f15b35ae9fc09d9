import { load } from "pilothouse";
import { createApp } from "vue";

import App from "./App.vue";

await load();
createApp(App).mount("#app");
