"use client";
// `<PilotHouse>` for React: the element with its attributes and events as typed props. The element is the API, so
// nothing else is wrapped.

import { createElement, forwardRef, useEffect, useImperativeHandle, useLayoutEffect, useRef } from "react";

import { load } from "./index.js";

/** Listeners are there before the browser paints. On a server React 18 warns about layout effects, which do nothing there. */
const useEarlyEffect = typeof document === "undefined" ? useEffect : useLayoutEffect;

/** The prop of each event. */
const EVENTS = {
  onRequest: "pilothouse-request",
  onAnswer: "pilothouse-answer",
  onCall: "pilothouse-call",
  onResult: "pilothouse-result",
  onStatus: "pilothouse-status",
  onTelemetry: "pilothouse-telemetry",
  onError: "pilothouse-error",
};

/** Props that are properties of the element: what the page adds, functions, and a transport of the page's own. */
const PROPERTIES = ["suggestions", "commands", "completions", "entryActions", "filter"];
const isProperty = (name, value) => name === "auth" || PROPERTIES.includes(name) || (name === "transport" && typeof value === "object");

/** The attributes whose props have names of React's kind. */
const NAMES = { answerUrl: "answer-url", readOnly: "readonly", className: "class" };

export const PilotHouse = forwardRef(function PilotHouse(props, ref) {
  const element = useRef(null);
  const handlers = useRef(props);
  const attributes = {};
  for (const [name, value] of Object.entries(props)) {
    if (name in EVENTS || isProperty(name, value) || value === false || value === undefined || value === null) continue;
    attributes[NAMES[name] ?? name] = value === true ? "" : value;
  }
  useImperativeHandle(ref, () => element.current, []);
  useEarlyEffect(() => {
    handlers.current = props;
    for (const name of PROPERTIES) {
      if (element.current[name] !== props[name]) element.current[name] = props[name];
    }
  });
  // Set before the element starts. One that is no longer given is removed.
  useEarlyEffect(() => {
    if (isProperty("transport", props.transport)) element.current.transport = props.transport;
    return () => {
      if (typeof element.current?.transport === "object") element.current.transport = element.current.getAttribute("transport");
    };
  }, [props.transport]);
  useEarlyEffect(() => {
    element.current.auth = props.auth;
  }, [props.auth]);
  useEarlyEffect(() => {
    const target = element.current;
    const listeners = Object.entries(EVENTS).map(([prop, event]) => {
      const listener = (given) => {
        // The events bubble, and an element in the children may be another session's.
        if (given.target === target) handlers.current[prop]?.(given);
      };
      target.addEventListener(event, listener);
      return () => target.removeEventListener(event, listener);
    });
    load().catch((error) => {
      const detail = { message: `Pilothouse was not loaded: ${error.message}` };
      target.dispatchEvent(new CustomEvent("pilothouse-error", { detail, bubbles: true, composed: true }));
      if (!handlers.current.onError) reportError(error);
    });
    return () => listeners.forEach((remove) => remove());
  }, []);
  return createElement("pilot-house", { ...attributes, ref: element });
});
