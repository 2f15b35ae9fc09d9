import vue from "@vitejs/plugin-vue";

// Vue has to know which tags are custom elements.
export default { plugins: [vue({ template: { compilerOptions: { isCustomElement: (tag) => tag.startsWith("pilot-house") } } })] };
