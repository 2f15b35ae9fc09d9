// One session of the Copilot SDK for one page: events out by server-sent events, answers in by POST.
// Keeps the session's events so that a page can replay them. Other origins and methods are rejected.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"
	"strconv"
	"sync"

	copilot "github.com/github/copilot-sdk/go"
	"github.com/github/copilot-sdk/go/rpc"
)

const address, page = "127.0.0.1:3000", "http://127.0.0.1:8000"

var (
	events []string // in memory; a server that runs for weeks should keep it on disk
	grown  = sync.NewCond(&sync.Mutex{})
)

func onEvent(event copilot.SessionEvent) {
	data, _ := json.Marshal(event)
	grown.L.Lock()
	defer grown.L.Unlock()
	events = append(events, fmt.Sprintf("id: %d\ndata: %s\n\n", len(events)+1, data))
	grown.Broadcast()
}

func serveEvents(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	sent, _ := strconv.Atoi(r.Header.Get("Last-Event-ID"))
	grown.L.Lock()
	if sent > len(events) { // the page comes from the server before this one: it gets everything
		sent = 0
	}
	grown.L.Unlock()
	defer context.AfterFunc(r.Context(), func() { // wakes the loop below when its page disconnects
		grown.L.Lock()
		defer grown.L.Unlock()
		grown.Broadcast()
	})()
	for w.(http.Flusher).Flush(); r.Context().Err() == nil; w.(http.Flusher).Flush() {
		grown.L.Lock()
		for len(events) <= sent && r.Context().Err() == nil {
			grown.Wait()
		}
		news := events[min(sent, len(events)):]
		grown.L.Unlock()
		for sent += len(news); len(news) > 0; news = news[1:] {
			fmt.Fprint(w, news[0])
		}
	}
}

// Wraps an SDK function as a method that the page may call.
func method[P, R any](call func(context.Context, *P) (R, error)) func(context.Context, json.RawMessage) (any, error) {
	return func(ctx context.Context, params json.RawMessage) (any, error) {
		read := new(P)
		if err := json.Unmarshal(params, read); err != nil {
			return nil, err
		}
		return call(ctx, read)
	}
}

func main() {
	session, err := copilot.NewClient(nil).CreateSession(context.Background(), &copilot.SessionConfig{
		OnEvent: onEvent, Streaming: copilot.Bool(true),
		// Required, or the runtime may assume that nobody can answer, and not ask. These handlers never answer;
		// the page does, by the request's id, and the runtime goes on.
		OnPermissionRequest: func(copilot.PermissionRequest, copilot.PermissionInvocation) (rpc.PermissionDecision, error) {
			return rpc.PermissionDecisionNoResult{}, nil
		},
		OnUserInputRequest: func(copilot.UserInputRequest, copilot.UserInputInvocation) (copilot.UserInputResponse, error) {
			<-make(chan struct{})
			return copilot.UserInputResponse{}, nil
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	// The methods that the page may call. It must not have access to everything that the SDK can do.
	methods := map[string]func(context.Context, json.RawMessage) (any, error){
		"session.permissions.handlePendingPermissionRequest": method(session.RPC.Permissions.HandlePendingPermissionRequest),
		"session.ui.handlePendingUserInput":                  method(session.RPC.UI.HandlePendingUserInput),
		"session.send":                                       method(session.RPC.Send),
		"session.abort":                                      method(session.RPC.Abort),
	}
	serveAnswer := func(w http.ResponseWriter, r *http.Request) {
		var asked struct {
			ID     any
			Method string
			Params json.RawMessage
		}
		answer := map[string]any{"jsonrpc": "2.0"}
		err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<20)).Decode(&asked)
		if call := methods[asked.Method]; err == nil && call != nil {
			answer["result"], err = call(r.Context(), asked.Params)
		} else if err == nil {
			err = fmt.Errorf("no method %s here", asked.Method)
		}
		if answer["id"] = asked.ID; err != nil {
			answer = map[string]any{"jsonrpc": "2.0", "id": asked.ID, "error": map[string]any{"code": -32000, "message": err.Error()}}
		}
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(answer)
	}
	if len(os.Args) > 1 {
		if _, err := session.SendPrompt(context.Background(), os.Args[1]); err != nil {
			log.Fatal(err)
		}
	}
	log.Printf("http://%s/events", address)
	log.Fatal(http.ListenAndServe(address, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Access-Control-Allow-Origin", page)
		w.Header().Set("Access-Control-Allow-Headers", "content-type, last-event-id")
		// Any site can send requests to this machine: only our page's origin and our host name are accepted.
		switch origin := r.Header.Get("Origin"); {
		case r.Host != address || origin != "" && origin != page:
			w.WriteHeader(http.StatusForbidden)
		case r.Method == http.MethodGet && r.URL.Path == "/events":
			serveEvents(w, r)
		case r.Method == http.MethodPost && r.URL.Path == "/rpc":
			serveAnswer(w, r)
		case r.Method != http.MethodOptions:
			w.WriteHeader(http.StatusNotFound)
		}
	})))
}
