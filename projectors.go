package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"sync"
	"time"

	"inkfeed/cosmos"
	"inkfeed/domain"
	"inkfeed/workers"
)

// projectors are the change feed processors this process runs.
type projectors struct {
	posts   *workers.Processor[domain.PostChange]
	users   *workers.Processor[domain.UserChange]
	started sync.WaitGroup
	ready   sync.RWMutex // guards posts and users: wake may come before start
}

func (p *projectors) start(ctx context.Context, store *cosmos.Store, markdown *domain.Markdown, options workers.Options) {
	p.ready.Lock()
	defer p.ready.Unlock()
	p.posts = workers.NewProcessor("posts", store.Posts.Changes(), store.Leases,
		&workers.PostsProjector{Users: store.Users, Feed: store.Feed, Posts: store.Posts, Markdown: markdown}, options)
	p.users = workers.NewProcessor("users", store.Users.Changes(), store.Leases,
		&workers.UsersProjector{Users: store.Users, Posts: store.Posts, Logger: options.Logger}, options)
	p.started.Go(func() { p.posts.Run(ctx) })
	p.started.Go(func() { p.users.Run(ctx) })
}

func (p *projectors) wait() { p.started.Wait() }

// wake lets what this process writes be projected at once.
func (p *projectors) wake(container string) {
	p.ready.RLock()
	defer p.ready.RUnlock()
	switch {
	case container == "posts" && p.posts != nil:
		p.posts.Wake()
	case container == "users" && p.users != nil:
		p.users.Wake()
	}
}

// caughtUp reports whether both processors have projected all there is. Each
// writes what the other reads, so both must be idle at once.
func (p *projectors) caughtUp(ctx context.Context) (bool, error) {
	for range 2 {
		if ok, err := p.users.CaughtUp(ctx); !ok || err != nil {
			return false, err
		}
		if ok, err := p.posts.CaughtUp(ctx); !ok || err != nil {
			return false, err
		}
	}
	return true, nil
}

// waitCaughtUp returns when all changes are projected.
func (p *projectors) waitCaughtUp(ctx context.Context) error {
	for {
		ok, err := p.caughtUp(ctx)
		if ok || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// instance names this process among those that share the leases. Nobody shares
// the embedded engine's, so a fixed name lets a restart take its own back at
// once instead of waiting for them to expire.
func (c *config) instance() string {
	if c.embedded() {
		return "embedded"
	}
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	return fmt.Sprintf("%s-%d-%s", host, os.Getpid(), rand.Text()[:8])
}
