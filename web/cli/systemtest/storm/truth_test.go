package storm

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// register is a value that one client writes, as far as the answers tell it.
type register[T comparable] struct {
	possible []T       // one, unless the outcome of a write is unknown
	landing  time.Time // until when such a write may still arrive
}

func newRegister[T comparable](value T) register[T] { return register[T]{possible: []T{value}} }

// acknowledge notes a write that was answered. It is the only truth from now on,
// which holds if no other was under way: see settled.
func (r *register[T]) acknowledge(value T) { r.possible = []T{value} }

// suspect notes a write that may have happened, or may within a time.
func (r *register[T]) suspect(value T, within time.Duration) {
	if !r.may(value) {
		r.possible = append(r.possible, value)
	}
	r.landing = time.Now().Add(within)
}

func (r *register[T]) may(value T) bool { return slices.Contains(r.possible, value) }
func (r *register[T]) is(value T) bool  { return len(r.possible) == 1 && r.may(value) }

// certain reports whether there is one possible value.
func (r *register[T]) certain() bool { return len(r.possible) == 1 }

// untouched reports whether no write of unknown outcome was ever sent.
func (r *register[T]) untouched() bool { return r.landing.IsZero() }

// settled reports whether no earlier write can arrive after the next one.
func (r *register[T]) settled() bool { return time.Now().After(r.landing) }

// account is what one client knows of one account of its.
type account struct {
	client    int
	name      register[string]
	names     []string // all that were acknowledged
	display   register[string]
	deleted   register[bool]
	suspended register[bool]
	trusted   register[bool] // a moderator has approved something of it
	posts     []*post
	comments  []*comment
	likes     map[*post]*register[bool]
	kept      map[*post]*register[bool] // bookmarks
}

// text is the content of a post, with its tags as the site shows them.
type text struct{ title, content, tags string }

// post is a post of an account. Its fields are the author's client's; id and
// author never change.
type post struct {
	id      string
	token   string // the title's first word, which no other post has
	author  *account
	texts   []text     // all that its author published or tried to, in that order
	told    []toldText // of these
	text    register[text]
	form    register[text] // what its author has saved of it, published or not
	deleted register[bool]
	hidden  register[bool] // not published, or not any more
	held    register[bool] // by a moderator or for review: its author sees it, and others do not
	review  bool           // it was held for review when it was published, and is not approved
	due     scheduled
	// firstOnly: the schedule has published it, and it has not been edited since.
	firstOnly bool
}

func (p *post) path() string { return "/posts/" + p.id }

// leastPlace is the place of the oldest text that the post may have, among those its author published.
func (p *post) leastPlace() int {
	least := len(p.texts)
	for _, t := range p.text.possible {
		least = min(least, slices.Index(p.texts, t))
	}
	return least
}

// gone says whether the post is, by its own deletion or its author's; unseen whether
// that, or its author's decision, hides it from others.
func (p *post) gone() bool      { return p.deleted.is(true) || p.author.deleted.is(true) }
func (p *post) mayBeGone() bool { return p.deleted.may(true) || p.author.deleted.may(true) }

func (p *post) unseen() bool {
	return p.gone() || p.hidden.is(true) || p.held.is(true) || p.author.suspended.is(true)
}

func (p *post) mayBeUnseen() bool {
	return p.mayBeGone() || p.hidden.may(true) || p.held.may(true) || p.author.suspended.may(true)
}

type comment struct {
	id      string // empty: nobody was told
	post    *post
	author  *account
	content string // which no other comment has
	there   register[bool]
	held    register[bool] // its author sees it, and others do not
}

func (c *comment) gone() bool { return c.there.is(false) || c.author.deleted.is(true) }
func (c *comment) must() bool { return c.there.is(true) && c.author.deleted.is(false) }

// unseen and seen report whether others certainly do not see it, and certainly see it.
func (c *comment) unseen() bool { return c.gone() || c.held.is(true) || c.author.suspended.is(true) }
func (c *comment) seen() bool {
	return c.must() && c.held.is(false) && c.author.suspended.is(false)
}

// history is what was asked and answered, to tell of what a failure is about.
type history struct {
	mu     sync.Mutex
	begin  time.Time
	events []string
}

func (h *history) add(format string, args ...any) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.events = append(h.events, fmt.Sprintf("%8.3fs ", time.Since(h.begin).Seconds())+fmt.Sprintf(format, args...))
}

// keep writes all of it to a file, which go test -artifacts leaves there.
func (h *history) keep(t *testing.T) {
	t.Helper()
	h.mu.Lock()
	defer h.mu.Unlock()
	name := filepath.Join(t.ArtifactDir(), "history.txt")
	if err := os.WriteFile(name, []byte(strings.Join(h.events, "\n")+"\n"), 0o600); err != nil {
		t.Error(err)
	}
	t.Logf("all that happened is in %s, with -artifacts", name)
}

// about lists the last events that mention one of the words.
func (h *history) about(words ...string) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	var found []string
	for _, e := range h.events {
		if slices.ContainsFunc(words, func(w string) bool { return w != "" && strings.Contains(e, w) }) {
			found = append(found, e)
		}
	}
	const most = 80
	return strings.Join(found[max(0, len(found)-most):], "\n")
}
