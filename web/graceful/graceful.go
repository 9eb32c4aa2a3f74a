// Package graceful serves HTTP until it is told to stop, and then loses no request that is
// being answered, nor waits for a client for ever.
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

// Options say how long stopping may take.
type Options struct {
	// Drain is how long requests are still taken, each as the last of its connection: those
	// that are on their way are answered, and proxies come to know that others have to be
	// asked.
	Drain time.Duration
	// Finish is how long requests have that are being answered after that. Then they are
	// cut off.
	Finish time.Duration
	Logger *slog.Logger
}

// farewell is how long requests that are cut off have to say so.
const farewell = time.Second

// Server answers what comes to a listener.
type Server struct {
	*http.Server
	Listener net.Listener
}

// Serve serves until the context ends or a server fails. In the end no request is being
// answered, unless its handler heeds neither its context nor its connection.
func Serve(ctx context.Context, o Options, servers ...Server) error {
	answering, cutOff := context.WithCancel(context.WithoutCancel(ctx))
	defer cutOff()
	stop := &stopping{}
	failed := make(chan error, len(servers))
	for _, s := range servers {
		s.Handler = stop.last(s.Handler)
		s.BaseContext = func(net.Listener) context.Context { return answering }
		go func() { failed <- s.Serve(s.Listener) }()
	}
	var err error
	select {
	case <-ctx.Done():
		stop.begun.Store(true)
		err = drain(o.Drain, failed)
	case err = <-failed:
	}
	finishing, cancel := context.WithTimeout(answering, o.Finish)
	defer cancel()
	if shutdown(finishing, servers) != nil {
		o.Logger.Warn("requests were not answered in time and are cut off, for the server stops", "requests",
			stop.open.Load(), "time", o.Finish)
		cutOff()
		leaving, cancel := context.WithTimeout(context.WithoutCancel(ctx), farewell)
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

// drain waits, unless a server fails meanwhile.
func drain(d time.Duration, failed <-chan error) error {
	select {
	case err := <-failed:
		return err
	case <-time.After(d):
		return nil
	}
}

// shutdown lets all finish at once, not one after the other: they share the time.
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

// stopping is what requests have to know of it.
type stopping struct {
	begun atomic.Bool
	open  atomic.Int64 // requests that are being answered
}

// last answers requests, and while the server stops each as the last of its connection. Go's
// own shutdown closes connections on which a request may just be on its way.
func (s *stopping) last(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.open.Add(1)
		defer s.open.Add(-1)
		if s.begun.Load() {
			w.Header().Set("Connection", "close")
		}
		next.ServeHTTP(w, r)
	})
}

// wait waits for handlers whose connections are closed already.
func (s *stopping) wait(ctx context.Context) {
	for pause := time.Millisecond; s.open.Load() > 0 && ctx.Err() == nil; pause *= 2 {
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
}
