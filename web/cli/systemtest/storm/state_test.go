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

// register is the client's knowledge of a stored value that only this client writes.
type register[T comparable] struct {
	possible []T       // one value, unless the outcome of a write is unknown
	landing  time.Time // time until which a write of unknown outcome may take effect
}

func newRegister[T comparable](value T) register[T] { return register[T]{possible: []T{value}} }

// acknowledge records an acknowledged write. Its value is the only possible one, provided that no other write is in
// progress: see settled.
func (r *register[T]) acknowledge(value T) { r.possible = []T{value} }

// suspect records a write of unknown outcome, which may still take effect within a time.
func (r *register[T]) suspect(value T, within time.Duration) {
	if !r.may(value) {
		r.possible = append(r.possible, value)
	}
	r.landing = time.Now().Add(within)
}

// may reports whether the value is possible, and is reports whether it is the only possible one.
func (r *register[T]) may(value T) bool { return slices.Contains(r.possible, value) }
func (r *register[T]) is(value T) bool  { return len(r.possible) == 1 && r.may(value) }

// certain reports whether there is one possible value.
func (r *register[T]) certain() bool { return len(r.possible) == 1 }

// untouched reports whether no write of unknown outcome was ever sent.
func (r *register[T]) untouched() bool { return r.landing.IsZero() }

// settled reports whether no earlier write can still take effect.
func (r *register[T]) settled() bool { return time.Now().After(r.landing) }

// account is a client's knowledge of one of its accounts.
type account struct {
	client    int
	name      register[string]
	names     []string // all acknowledged usernames
	addresses []string // to which mails were acknowledged
	display   register[string]
	deleted   register[bool]
	suspended register[bool]
	trusted   register[bool] // whether a moderator has approved a text of the account
	posts     []*post
	comments  []*comment
	likes     map[*post]*register[bool]
	bookmarks map[*post]*register[bool]
	follows   map[*account]*followed
	tags      bool // it may follow tags
}

// text is the content of a post, with its tags as the site shows them.
type text struct{ title, content, tags string }

// post is a post of an account. Only the author's client accesses its fields, except id and author, which never change.
type post struct {
	id           string
	token        string // the unique first word of the title
	author       *account
	texts        []text             // all texts that the author tried to publish, oldest first
	acknowledged []acknowledgedText // oldest first
	text         register[text]
	form         register[text] // the text that was saved last, published or not
	deleted      register[bool]
	hidden       register[bool] // whether it is a draft or unpublished
	pinned       register[bool] // empty until the author tries to pin it
	held         register[bool] // whether a moderator or a review hides it from everyone but its author
	review       bool           // whether it waits for the review of its publication
	due          scheduled
	published    time.Time // when the form was sent that published it for the first time; zero if it was another way
	// firstOnly reports whether the schedule has published it and it has not been edited since.
	firstOnly bool
}

func (p *post) path() string { return "/posts/" + p.id }

// leastPlace returns the index of the oldest text that the post may have.
func (p *post) leastPlace() int {
	least := len(p.texts)
	for _, t := range p.text.possible {
		least = min(least, slices.Index(p.texts, t))
	}
	return least
}

// gone and mayBeGone report whether the post or its author certainly is, or may be, deleted.
func (p *post) gone() bool      { return p.deleted.is(true) || p.author.deleted.is(true) }
func (p *post) mayBeGone() bool { return p.deleted.may(true) || p.author.deleted.may(true) }

// unseen and mayBeUnseen report whether others certainly do not, or may not, see the post.
func (p *post) unseen() bool {
	return p.gone() || p.hidden.is(true) || p.held.is(true) || p.author.suspended.is(true)
}

func (p *post) mayBeUnseen() bool {
	return p.mayBeGone() || p.hidden.may(true) || p.held.may(true) || p.author.suspended.may(true)
}

type comment struct {
	id      string // empty until it is acknowledged
	post    *post
	author  *account
	content string // unique
	there   register[bool]
	held    register[bool] // whether a moderator hides it from everyone but its author
}

// gone and exists report whether the comment certainly does not exist, or certainly exists.
func (c *comment) gone() bool   { return c.there.is(false) || c.author.deleted.is(true) }
func (c *comment) exists() bool { return c.there.is(true) && c.author.deleted.is(false) }

// unseen and seen report whether others certainly do not see it, and certainly see it.
func (c *comment) unseen() bool { return c.gone() || c.held.is(true) || c.author.suspended.is(true) }
func (c *comment) seen() bool {
	return c.exists() && c.held.is(false) && c.author.suspended.is(false)
}

// history records all requests and other events, so that a failure can list those that led to it.
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

// save writes all events to a file, which go test -artifacts keeps.
func (h *history) save(t *testing.T) {
	t.Helper()
	h.mu.Lock()
	defer h.mu.Unlock()
	name := filepath.Join(t.ArtifactDir(), "history.txt")
	if err := os.WriteFile(name, []byte(strings.Join(h.events, "\n")+"\n"), 0o600); err != nil {
		t.Error(err)
	}
	t.Logf("with -artifacts, all events are in %s", name)
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
