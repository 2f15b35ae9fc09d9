"use client";
// The element, with the first screen that came from the server in it.

import { useEffect, useRef } from "react";

import { load } from "pilothouse";

export function Session({ gateway, id, screen }) {
  const element = useRef(null);
  useEffect(() => {
    // Before the element connects. The browser gets the token from a route that asks your sign-in.
    element.current.auth = async () => {
      const token = await (await fetch("/token", { cache: "no-store" })).text();
      return token ? { token } : {};
    };
    load();
  }, []);
  // While a browser reads a page it makes a shadow root of this, and the element's program takes that over. React does not look
  // into it. On a page that React makes later it stays a template, which nobody sees, and the element begins as usual.
  const inside = { __html: screen ? `<template shadowrootmode="open">${screen}</template>` : "" };
  return (
    <pilot-house ref={element} src={gateway} session={id} style={{ display: "block", height: "100vh" }}
      suppressHydrationWarning dangerouslySetInnerHTML={inside} />
  );
}
