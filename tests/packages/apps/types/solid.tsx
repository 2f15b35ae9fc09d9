/** @jsxImportSource solid-js */
import type {} from "pilothouse/types/solid";

export const page = () => (
  <div>
    <pilot-house src="/" class="side" on:pilothouse-request={(event) => event.detail.id.length} />
    <pilot-house-board history on:pilothouse-open={({ detail }) => detail.sessionId.length} />
    {/* @ts-expect-error no such transport */}
    <pilot-house transport="pigeon" />
  </div>
);
