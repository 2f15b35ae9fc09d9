import { load } from "pilothouse";
import { mount } from "svelte";

import App from "./App.svelte";

await load();
mount(App, { target: document.querySelector("#app") });
