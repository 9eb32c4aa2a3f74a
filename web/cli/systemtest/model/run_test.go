package model

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"golang.org/x/sync/errgroup"

	"inkfeed/cosmos/embedded"
	"inkfeed/domain"
	"inkfeed/domain/names"
	"inkfeed/web/cli/systemtest/harness"
)

// Wherever a process dies, in an action of a person or in the projectors, what was
// acknowledged is there when the projectors have come to rest, everything is whole,
// and the person can do it again.
func TestEveryActionDyingAtEachCall(t *testing.T) {
	for kind, prepare := range everyAction() {
		t.Run(kind+", in the action", func(t *testing.T) {
			t.Parallel()
			eachDeath(t, false, func(d death) bool {
				w := newWorld(t, 1)
				defer w.close()
				return w.dieInAction(prepare(w), d)
			})
		})
		t.Run(kind+", in the projectors", func(t *testing.T) {
			t.Parallel()
			eachDeath(t, short(t), func(d death) bool {
				w := newWorld(t, 1)
				defer w.close()
				return w.dieInProjectors(prepare(w), d)
			})
		})
	}
}

// eachDeath tries each possible death until one comes too late. A process that dies in a call that is carried out
// leaves the same as one that dies before the next call: where little time is given that is tried once, and the death
// before the first call, which leaves nothing, is not tried. Unless the tests are exhaustive, it tries one in
// sampledDeaths, from a random one on.
func eachDeath(t *testing.T, writes bool, try func(death) bool) {
	t.Helper()
	deaths, first, stride := []bool{true}, 0, 1
	if !short(t) {
		deaths = append(deaths, false)
	}
	if !harness.IsExhaustive() {
		first, stride = int(harness.ChaosSeed(t)%sampledDeaths), sampledDeaths
	}
	for _, lost := range deaths {
		for after := first; try(death{after, lost, writes}); after += stride {
		}
	}
}

const sampledDeaths = 4

// short tells whether little time is given. Then projectors die in writes only, for what
// they leave is the same when they die in a read instead.
func short(t *testing.T) bool {
	t.Helper()
	return harness.ChaosTime(t) == harness.ShortStorm
}

// The same for what makes posts leave a full feed, and room for those next in line.
func TestAFullFeedDyingAtEachCall(t *testing.T) {
	for kind, prepare := range map[string]func(*world, string) action{
		"post": func(w *world, author string) action {
			a, _ := w.publish(author)
			return a
		},
		"post's deletion": func(w *world, author string) action { return w.deletePost(author, w.newPost(author)) },
		"post's withdrawal": func(w *world, author string) action {
			return w.setStatus(author, w.newPost(author), domain.Unlisted)
		},
		"post's return": func(w *world, author string) action {
			post := w.newPost(author)
			w.must(w.setStatus(author, post, domain.Unpublished))
			if w.random.IntN(2) == 0 {
				w.settle()
			}
			return w.setStatus(author, post, domain.Published)
		},
		"account's deletion": func(w *world, _ string) action {
			author := w.newUser()
			w.newPost(author)
			w.newPost(author)
			return w.deleteAccount(author)
		},
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, 1)
			author := w.newUser()
			w.fill(author)
			eachDeath(t, short(t), func(d death) bool { return w.dieInProjectors(prepare(w, author), d) })
		})
	}
}

func (w *world) dieInAction(a action, d death) (died bool) {
	w.t.Helper()
	w.settle()
	died, before, after := w.act(a, d)
	w.settle()
	w.sound(fmt.Sprintf("%s, %v", a.what, d), before, after, a.half(before))
	// Once more, as somebody does who got no answer.
	if err := a.do(w.t.Context()); err != nil {
		w.fatal("%s, %v, and again: %v", a.what, d, err)
	}
	delete(w.limbo, names.NameKey(a.name))
	w.settle()
	w.model = after
	w.sound(fmt.Sprintf("%s, %v, and again", a.what, d), after)
	return died
}

func (w *world) dieInProjectors(a action, d death) (died bool) {
	w.t.Helper()
	w.settle()
	_, _, w.model = w.act(a, death{after: immortal})
	died, err := w.living(d, func() error { return w.drain(w.t.Context()) })
	if err != nil && !died {
		w.fatal("projectors: %v", err)
	}
	w.settle()
	w.sound(fmt.Sprintf("%s, projectors %v", a.what, d), w.model)
	return died
}

// must does an action that has to succeed, and is not what is tested.
func (w *world) must(a action) {
	w.t.Helper()
	_, _, w.model = w.act(a, death{after: immortal})
}

func (w *world) newUser() string {
	w.t.Helper()
	a, id := w.signUp(w.freshName())
	w.must(a)
	return id
}

func (w *world) newPost(author string) string {
	w.t.Helper()
	a, id := w.publish(author)
	w.must(a)
	w.must(w.setStatus(author, id, domain.Published))
	return id
}

// fill makes the feed full, with more posts in line.
func (w *world) fill(author string) {
	w.t.Helper()
	var group errgroup.Group
	group.SetLimit(16)
	for range domain.FeedLimit + 40 {
		a, id := w.publish(author)
		w.posts = w.posts[:len(w.posts)-1] // nothing but its place is looked at
		if err := a.apply(w.model); err != nil {
			w.fatal("%s: %v", a.what, err)
		}
		w.model.posts[id].background = true
		group.Go(func() error { return a.do(w.t.Context()) })
	}
	if err := group.Wait(); err != nil {
		w.fatal("posts that fill the feed: %v", err)
	}
	w.settle()
	w.sound("a full feed", w.model)
}

func (w *world) newComment(user, post string) string {
	w.t.Helper()
	a, id := w.comment(user, post)
	w.must(a)
	return id
}

// popularPost has more comments than go with one transaction.
func (w *world) popularPost(author, user string) string {
	w.t.Helper()
	a, id := w.publish(author)
	if err := a.apply(w.model); err != nil {
		w.fatal("%s: %v", a.what, err)
	}
	p := w.model.posts[id]
	post := domain.Post{ID: id, AuthorID: author, AuthorName: w.model.names[author], Title: p.title, Content: p.content,
		Tags: p.tags, Status: p.status, Created: p.created, Revision: 1, Version: 1}
	var comments []domain.Comment
	for range 150 {
		c := domain.Comment{ID: domain.NewIDFrom(w.bytes), PostID: id, AuthorID: user, AuthorName: w.model.names[user],
			Content: fmt.Sprint("comment ", w.count()), Created: w.tick()}
		p.comments[c.ID] = modelComment{author: user, content: c.Content}
		comments = append(comments, c)
	}
	if err := w.store.Posts.Import(w.t.Context(), post, comments, nil); err != nil {
		w.fatal("a post with many comments: %v", err)
	}
	return id
}

// everyAction prepares each kind of action, on items of its own.
func everyAction() map[string]func(*world) action {
	actions := actionsWithDrafts()
	maps.Copy(actions, talkActions())
	maps.Copy(actions, map[string]func(*world) action{
		"sign-up": func(w *world) action {
			a, _ := w.signUp(w.freshName())
			return a
		},
		"rename": func(w *world) action {
			user := w.newUser()
			own, other := w.newPost(user), w.newPost(w.newUser())
			w.newComment(user, own)
			w.newComment(user, other)
			w.must(w.like(user, other))
			return w.rename(user, w.freshName())
		},
		"post": func(w *world) action {
			a, _ := w.publish(w.newUser())
			return a
		},
		"edit": func(w *world) action {
			user := w.newUser()
			return w.edit(user, w.newPost(user))
		},
		"withdrawal": func(w *world) action {
			author := w.newUser()
			post := w.newPost(author)
			w.newComment(author, post)
			return w.setStatus(author, post, domain.Unpublished)
		},
		"return": func(w *world) action {
			author := w.newUser()
			post := w.newPost(author)
			w.must(w.setStatus(author, post, domain.Unlisted))
			w.settle()
			w.must(w.like(w.newUser(), post))
			return w.setStatus(author, post, domain.Published)
		},
		"comment": func(w *world) action {
			a, _ := w.comment(w.newUser(), w.newPost(w.newUser()))
			return a
		},
		"like": func(w *world) action { return w.like(w.newUser(), w.newPost(w.newUser())) },
		"unlike": func(w *world) action {
			user, post := w.newUser(), w.newPost(w.newUser())
			w.must(w.like(user, post))
			return w.unlike(user, post)
		},
		"comment's deletion": func(w *world) action {
			user, post := w.newUser(), w.newPost(w.newUser())
			comment := w.newComment(user, post)
			return w.deleteComment(user, post, comment)
		},
		"post's deletion": func(w *world) action {
			user, author := w.newUser(), w.newUser()
			post := w.newPost(author)
			w.newComment(user, post)
			w.must(w.like(user, post))
			return w.deletePost(author, post)
		},
		"deletion of a post with many comments": func(w *world) action {
			user, author := w.newUser(), w.newUser()
			return w.deletePost(author, w.popularPost(author, user))
		},
		"account's deletion": func(w *world) action {
			user, somebody := w.newUser(), w.newUser()
			own, other := w.newPost(user), w.newPost(somebody)
			w.newComment(somebody, own)
			w.newComment(user, other)
			w.must(w.like(user, other))
			w.must(w.rename(user, w.freshName()))
			return w.deleteAccount(user)
		},
	})
	return actions
}

// Sequences in which each action and each run of the projectors may die, pages come
// again, and former owners of a feed range project what they still have at hand.
func TestRandomActionsDyingAtRandomCalls(t *testing.T) {
	seed := harness.ChaosSeed(t)
	sequences := 2
	switch {
	case !short(t):
		sequences = 40
	case harness.IsExhaustive():
		sequences = 4
	}
	randomActions(t, seed, sequences, embedded.Options{Ranges: 2})
}

// The same, on an engine that ends the pages of all queries and feeds at random places.
func TestRandomActionsOnSplitPages(t *testing.T) {
	seed := harness.ChaosSeed(t)
	sequences := 1
	switch {
	case !short(t):
		sequences = 12
	case harness.IsExhaustive():
		sequences = 2
	}
	randomActions(t, seed, sequences, embedded.Options{Ranges: 2, SplitPages: seed | 1})
}

func randomActions(t *testing.T, seed uint64, sequences int, o embedded.Options) {
	t.Helper()
	for n := range uint64(sequences) {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			w := newWorldOn(t, seed+n, o)
			full := n%4 == 0
			if full {
				w.fill(w.newUser())
				w.postsFeed.pageSize = 100
			}
			for range sequenceLength {
				if full && w.random.IntN(15) == 0 {
					w.burst()
				}
				w.step()
			}
			w.settle()
			w.sound("in the end", w.model)
		})
	}
}

const sequenceLength = 60

// burst changes many posts at once, most of them too old for the feed, and deletes some
// of those in it.
func (w *world) burst() {
	w.t.Helper()
	user := slices.Sorted(maps.Keys(w.model.names))[0]
	ids := w.model.newest(func(*modelPost) bool { return true })
	for _, id := range ids[max(0, len(ids)-w.random.IntN(40)):] {
		w.must(w.like(user, id))
	}
	for _, n := range w.random.Perm(min(len(ids), domain.FeedLimit))[:min(len(ids), 4)] {
		w.must(w.deletePost(w.model.posts[ids[n]].author, ids[n]))
	}
}

func (w *world) step() {
	w.t.Helper()
	d := w.drawDeath(3, 8)
	a := w.drawn()
	died, before, after := w.act(a, d)
	if died && before != after && a.partly != nil { // somebody who got no answer does it again
		_, before, after = w.act(a, death{after: immortal})
	}
	w.model = after
	if died && before != after { // no answer: whether it is done shows when all has come to rest
		w.settle()
		if w.sound(a.what, before, after) == 0 {
			w.model = before
		}
	}
	switch w.random.IntN(6) {
	case 0:
		w.settle(w.drawDeath(1, 30), w.drawDeath(2, 30))
		w.sound(a.what, w.model)
	case 1: // the projectors die, and the next actions find the copies half done
		died, err := w.living(w.drawDeath(1, 30), func() error { return w.drain(w.t.Context()) })
		if err != nil && !died {
			w.fatal("projectors: %v", err)
		}
	case 2:
		for _, again := range []error{w.postsFeed.again(w.t.Context(), w.random), w.usersFeed.again(w.t.Context(), w.random)} {
			if again != nil {
				w.fatal("a page that comes again: %v", again)
			}
		}
	}
}

// drawDeath draws whether to die, once in so many times, and when.
func (w *world) drawDeath(once, calls int) death {
	if w.random.IntN(once) > 0 {
		return death{after: immortal}
	}
	return death{after: w.random.IntN(calls), lost: w.random.IntN(2) == 0}
}
