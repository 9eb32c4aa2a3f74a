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

// TestEveryActionSurvivesACrashAtEachCall crashes the process at each storage call of an action and of the projectors
// after it. When the projectors are done, acknowledged actions must have happened, the stored data must have no
// violation, and the person must be able to repeat the action.
func TestEveryActionSurvivesACrashAtEachCall(t *testing.T) {
	for kind, prepare := range everyAction() {
		t.Run(kind+", in the action", func(t *testing.T) {
			t.Parallel()
			eachCrash(t, false, func(d crash) bool {
				w := newWorld(t, 1)
				defer w.close()
				return w.crashInAction(prepare(w), d)
			})
		})
		t.Run(kind+", in the projectors", func(t *testing.T) {
			t.Parallel()
			eachCrash(t, short(t), func(d crash) bool {
				w := newWorld(t, 1)
				defer w.close()
				return w.crashInProjectors(prepare(w), d)
			})
		})
	}
}

// eachCrash tries each possible crash until the action ends before the crash. A crash after a call that was carried out
// leaves the same data as a crash before the next call. So a short run tries only the former, and leaves out the crash
// before the first call, which leaves nothing. Unless tests are exhaustive, it tries one crash in sampledCrashes,
// starting with a random one.
func eachCrash(t *testing.T, writes bool, try func(crash) bool) {
	t.Helper()
	carriedOut, first, stride := []bool{true}, 0, 1
	if !short(t) {
		carriedOut = append(carriedOut, false)
	}
	if !harness.IsExhaustive() {
		first, stride = int(harness.ChaosSeed(t)%sampledCrashes), sampledCrashes
	}
	for _, done := range carriedOut {
		for after := first; try(crash{after, done, writes}); after += stride {
		}
	}
}

// sampledCrashes is the number of crashes of which tests that are not exhaustive try one.
const sampledCrashes = 4

// short reports whether the run is short. Then projectors crash in writes only, because a crash in a read leaves the
// same data as a crash before the next write.
func short(t *testing.T) bool {
	t.Helper()
	return harness.ChaosTime(t) == harness.ShortStorm
}

// TestAFullFeedSurvivesACrashAtEachCall crashes the projectors after actions that remove posts from a full feed or add
// posts to it.
func TestAFullFeedSurvivesACrashAtEachCall(t *testing.T) {
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
			eachCrash(t, short(t), func(d crash) bool { return w.crashInProjectors(prepare(w, author), d) })
		})
	}
}

// TestOldChangesDoNotReturnToTheSite projects the changes that an action on the site's content caused again, the newest
// first. So the oldest come last, as from a former owner of a feed range.
func TestOldChangesDoNotReturnToTheSite(t *testing.T) {
	for kind, prepare := range siteActions() {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, 1)
			a := prepare(w)
			w.settle()
			w.must(a)
			w.settle()
			for _, err := range []error{w.postsFeed.replayAll(t.Context()), w.usersFeed.replayAll(t.Context())} {
				if err != nil {
					w.fatal("replay of the pages: %v", err)
				}
			}
			w.verifyState(a.what+", projected again", w.model)
		})
	}
}

// crashInAction crashes the process in an action, repeats the action and checks the state each time.
func (w *world) crashInAction(a action, d crash) (crashed bool) {
	w.t.Helper()
	w.settle()
	crashed, before, after := w.act(a, d)
	w.settle()
	w.verifyState(fmt.Sprintf("%s, %v", a.what, d), before, after, a.partialState(before))
	// A person who got no answer repeats the action.
	if err := a.do(w.t.Context()); err != nil {
		w.fatal("%s, %v, repeated: %v", a.what, d, err)
	}
	delete(w.unsettled, names.NameKey(a.name))
	w.settle()
	w.model = after
	w.verifyState(fmt.Sprintf("%s, %v, repeated", a.what, d), after)
	return crashed
}

// crashInProjectors crashes the projectors after an action and checks the state after their restart.
func (w *world) crashInProjectors(a action, d crash) (crashed bool) {
	w.t.Helper()
	w.settle()
	_, _, w.model = w.act(a, crash{after: neverCrash})
	crashed, err := w.withCrash(d, func() error { return w.drain(w.t.Context()) })
	if err != nil && !crashed {
		w.fatal("projectors: %v", err)
	}
	w.settle()
	w.verifyState(fmt.Sprintf("%s, projectors %v", a.what, d), w.model)
	return crashed
}

// must performs an action that prepares a test and has to succeed.
func (w *world) must(a action) {
	w.t.Helper()
	_, _, w.model = w.act(a, crash{after: neverCrash})
}

func (w *world) newUser() string {
	w.t.Helper()
	a, id := w.signUp(w.newName())
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

// fill publishes more posts than the feed holds.
func (w *world) fill(author string) {
	w.t.Helper()
	var group errgroup.Group
	group.SetLimit(16)
	for range domain.FeedLimit + 40 {
		a, id := w.publish(author)
		w.posts = w.posts[:len(w.posts)-1] // only the post's places in lists are compared
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
	w.verifyState("a full feed", w.model)
}

func (w *world) newComment(user, post string) string {
	w.t.Helper()
	a, id := w.comment(user, post)
	w.must(a)
	return id
}

// popularPost creates a post with more comments than one transaction can delete.
func (w *world) popularPost(author, user string) string {
	w.t.Helper()
	a, id := w.publish(author)
	if err := a.apply(w.model); err != nil {
		w.fatal("%s: %v", a.what, err)
	}
	p := w.model.posts[id]
	post := domain.Post{ID: id, AuthorID: author, AuthorName: w.model.names[author], Title: p.title,
		Content: p.content, Tags: p.tags, Status: p.status, Created: p.created, Revision: 1, Version: 1}
	var comments []domain.Comment
	for range 150 {
		c := domain.Comment{ID: domain.NewIDFrom(w.bytes), PostID: id, AuthorID: user, AuthorName: w.model.names[user],
			Content: fmt.Sprint("comment ", w.nextNumber()), Created: w.nextTime()}
		p.comments[c.ID] = modelComment{author: user, content: c.Content}
		comments = append(comments, c)
	}
	if err := w.store.Posts.Import(w.t.Context(), post, comments, nil); err != nil {
		w.fatal("a post with many comments: %v", err)
	}
	return id
}

// everyAction returns a function for each kind of action. The function creates the items that the action needs.
func everyAction() map[string]func(*world) action {
	actions := draftActions()
	maps.Copy(actions, discussionActions())
	maps.Copy(actions, siteActions())
	maps.Copy(actions, followActions())
	maps.Copy(actions, map[string]func(*world) action{
		"sign-up": func(w *world) action {
			a, _ := w.signUp(w.newName())
			return a
		},
		"rename": func(w *world) action {
			user := w.newUser()
			own, other := w.newPost(user), w.newPost(w.newUser())
			w.newComment(user, own)
			w.newComment(user, other)
			w.must(w.like(user, other))
			return w.rename(user, w.newName())
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
			user, reader := w.newUser(), w.newUser()
			own, other := w.newPost(user), w.newPost(reader)
			w.newComment(reader, own)
			w.newComment(user, other)
			w.must(w.like(user, other))
			w.must(w.rename(user, w.newName()))
			return w.deleteAccount(user)
		},
	})
	return actions
}

// TestRandomActionsSurviveCrashesAtRandomCalls runs sequences in which each action and each run of the projectors may
// crash, and former owners of a feed range project pages again.
func TestRandomActionsSurviveCrashesAtRandomCalls(t *testing.T) {
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

// TestRandomActionsOnSplitPagesMatchTheModel uses an engine that ends the pages of all queries and change feeds at
// random places.
func TestRandomActionsOnSplitPagesMatchTheModel(t *testing.T) {
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
			w.verifyState("after the sequence", w.model)
		})
	}
}

const sequenceLength = 60

// burst likes many posts at once, most of which are too old for the feed, and deletes some posts in the feed.
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

// step performs a random action and then, mostly, makes the projectors run, crash or project old pages again.
func (w *world) step() {
	w.t.Helper()
	d := w.randomCrash(3, 8)
	a := w.randomAction()
	crashed, before, after := w.act(a, d)
	if crashed && before != after && a.partial != nil { // a person who got no answer repeats the action
		_, before, after = w.act(a, crash{after: neverCrash})
	}
	w.model = after
	if crashed && before != after { // without an answer, the state shows whether the action happened
		w.settle()
		if w.verifyState(a.what, before, after) == 0 {
			w.model = before
		}
	}
	switch w.random.IntN(6) {
	case 0:
		w.settle(w.randomCrash(1, 30), w.randomCrash(2, 30))
		w.verifyState(a.what, w.model)
	case 1: // the projectors crash, and the next actions find incomplete copies
		crashed, err := w.withCrash(w.randomCrash(1, 30), func() error { return w.drain(w.t.Context()) })
		if err != nil && !crashed {
			w.fatal("projectors: %v", err)
		}
	case 2:
		for _, err := range []error{
			w.postsFeed.replay(w.t.Context(), w.random), w.usersFeed.replay(w.t.Context(), w.random),
		} {
			if err != nil {
				w.fatal("replay of a page: %v", err)
			}
		}
	}
}

// randomCrash returns, in one of so many cases, a crash in one of the first calls.
func (w *world) randomCrash(once, calls int) crash {
	if w.random.IntN(once) > 0 {
		return crash{after: neverCrash}
	}
	return crash{after: w.random.IntN(calls), carriedOut: w.random.IntN(2) == 0}
}
