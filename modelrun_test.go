package main

import (
	"fmt"
	"testing"

	"inkfeed/domain"
)

// Wherever a process dies, in an action of a person or in the projectors, what was
// acknowledged is there when the projectors have come to rest, everything is whole,
// and the person can do it again.
func TestEveryActionDyingAtEachCall(t *testing.T) {
	for kind, prepare := range everyAction() {
		for where, try := range map[string]func(*world, action, death) bool{
			"in the action":     (*world).dieInAction,
			"in the projectors": (*world).dieInProjectors,
		} {
			t.Run(kind+", "+where, func(t *testing.T) {
				t.Parallel()
				for _, lost := range []bool{false, true} {
					for after, died := 0, true; died; after++ {
						w := newWorld(t, 1)
						died = try(w, prepare(w), death{after, lost})
						w.close()
					}
				}
			})
		}
	}
}

func (w *world) dieInAction(a action, d death) (died bool) {
	w.t.Helper()
	w.settle()
	died, before, after := w.act(a, d)
	w.settle()
	w.sound(fmt.Sprintf("%s, %v", a.what, d), before, after)
	// Once more, as somebody does who got no answer.
	if err := a.do(w.t.Context()); err != nil {
		w.fatal("%s, %v, and again: %v", a.what, d, err)
	}
	delete(w.limbo, domain.NameKey(a.name))
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
	return id
}

func (w *world) newComment(user, post string) string {
	w.t.Helper()
	a, id := w.comment(user, post)
	w.must(a)
	return id
}

// everyAction prepares each kind of action, on items of its own.
func everyAction() map[string]func(*world) action {
	return map[string]func(*world) action{
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
	}
}

// Sequences in which each action and each run of the projectors may die, pages come
// again, and former owners of a feed range project what they still have at hand.
func TestRandomActionsDyingAtRandomCalls(t *testing.T) {
	seed := chaosSeed(t)
	for n := range uint64(sequences) {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, seed+n)
			for range sequenceLength {
				w.step()
			}
			w.settle()
			w.sound("in the end", w.model)
		})
	}
}

const (
	sequences      = 4
	sequenceLength = 60
)

func (w *world) step() {
	w.t.Helper()
	d := w.drawDeath(3, 8)
	a := w.drawn()
	died, before, after := w.act(a, d)
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
	return death{w.random.IntN(calls), w.random.IntN(2) == 0}
}
