// Package graceful serves HTTP and shuts down gracefully: it lets requests in progress finish,
// within a time limit.
package graceful

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync/atomic"
	"time"
)

// Options configure the shutdown.
type Options struct {
	// Drain is how long the server still accepts requests after the context ends. It closes each
	// connection after its next response. So requests under way are answered, and proxies have time
	// to choose other servers.
	Drain time.Duration
	// Finish is the time limit for requests that are in progress after that. Then the server
	// cancels them.
	Finish time.Duration
	Logger *slog.Logger
}

// closeTime is how long cancelled requests have to respond.
const closeTime = time.Second

// settleTime is the time between the last connection and the shutdown. http.Server drops a request whose
// header it reads after that, so connections that were just accepted need a moment to send theirs.
const settleTime = 100 * time.Millisecond

// Server is an HTTP server with its listener.
type Server struct {
	*http.Server
	Listener net.Listener
}

// Serve serves until the context ends or a server fails. When it returns, no request is in
// progress, unless a handler ignores both its context and errors of its connection.
func Serve(ctx context.Context, o Options, servers ...Server) error {
	answering, cutOff := context.WithCancel(context.WithoutCancel(ctx))
	defer cutOff()
	stop := &shutdownState{}
	failed := make(chan error, len(servers))
	for _, s := range servers {
		s.Handler = stop.wrap(s.Handler)
		s.BaseContext = func(net.Listener) context.Context { return answering }
		go func() { failed <- s.Serve(s.Listener) }()
	}
	var err error
	select {
	case <-ctx.Done():
		stop.started.Store(true)
		if err = drain(o.Drain, failed); err == nil {
			err = stopAccepting(servers)
		}
	case err = <-failed:
	}
	finishing, cancel := context.WithTimeout(answering, o.Finish)
	defer cancel()
	if shutdown(finishing, servers) != nil {
		o.Logger.Warn("requests did not finish in time before the shutdown and are cancelled", "requests",
			stop.requests.Load(), "limit", o.Finish)
		cutOff()
		leaving, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTime)
		defer cancel()
		_ = shutdown(leaving, servers)
		for _, s := range servers {
			err = errors.Join(err, s.Close())
		}
		stop.wait(leaving)
	}
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// drain waits for d, or until a server fails.
func drain(d time.Duration, failed <-chan error) error {
	select {
	case err := <-failed:
		return err
	case <-time.After(d):
		return nil
	}
}

// stopAccepting closes the listeners and waits for settleTime.
func stopAccepting(servers []Server) (err error) {
	for _, s := range servers {
		err = errors.Join(err, s.Listener.Close())
	}
	time.Sleep(settleTime)
	return err
}

// shutdown shuts down all servers concurrently, so that they share the time limit.
func shutdown(ctx context.Context, servers []Server) error {
	done := make(chan error, len(servers))
	for _, s := range servers {
		go func() { done <- s.Shutdown(ctx) }()
	}
	var err error
	for range servers {
		err = errors.Join(err, <-done)
	}
	return err
}

// shutdownState is the state of the shutdown that requests need.
type shutdownState struct {
	started  atomic.Bool
	requests atomic.Int64 // requests in progress
}

// wrap counts requests in progress and, during the shutdown, closes each connection after its
// response. http.Server.Shutdown alone would close idle connections on which a request may be under
// way.
func (s *shutdownState) wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.requests.Add(1)
		defer s.requests.Add(-1)
		if s.started.Load() {
			w.Header().Set("Connection", "close")
		}
		next.ServeHTTP(w, r)
	})
}

// wait waits for handlers whose connections are closed already.
func (s *shutdownState) wait(ctx context.Context) {
	for pause := time.Millisecond; s.requests.Load() > 0 && ctx.Err() == nil; pause *= 2 {
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
}
