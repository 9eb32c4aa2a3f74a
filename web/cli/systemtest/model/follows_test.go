package model

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"inkfeed/cosmos"
	"inkfeed/domain"
	"inkfeed/workers/delivery"
	"inkfeed/workers/fanout"
)

// pair is two users: one who follows or blocks, and the other.
type pair struct{ user, other string }

// modelFollows are who follows whom, and who blocks whom.
type modelFollows struct{ follows, blocks map[pair]bool }

func newModelFollows() modelFollows {
	return modelFollows{make(map[pair]bool), make(map[pair]bool)}
}

func (m modelFollows) clone() modelFollows {
	return modelFollows{maps.Clone(m.follows), maps.Clone(m.blocks)}
}

// remove forgets a deleted user.
func (m modelFollows) remove(userID string) {
	of := func(p pair, _ bool) bool { return p.user == userID || p.other == userID }
	maps.DeleteFunc(m.follows, of)
	maps.DeleteFunc(m.blocks, of)
}

func (m modelFollows) separate(p pair) {
	delete(m.follows, p)
	delete(m.follows, pair{p.other, p.user})
}

func (m *model) followLines(add func(string, ...any)) {
	for id := range m.names {
		followers := 0
		for p := range m.follows {
			if p.user == id {
				add("%s follows %s", id, p.other)
			}
			if p.other == id {
				followers++
			}
		}
		add("%s has %d followers", id, followers)
	}
}

// storedFollows describes whom a user follows, and how many follow the user.
func storedFollows(ctx context.Context, s *cosmos.Store, id string, add func(string, ...any)) error {
	err := s.Follows.Each(ctx, id, func(f domain.Follow) error {
		add("%s follows %s", id, f.Source.AuthorID)
		return nil
	})
	if err != nil {
		return err
	}
	followers, err := s.Follows.Followers(ctx, domain.AuthorSource(id))
	add("%s has %d followers", id, followers.Count)
	return err
}

// follow follows another user. The site checks first whether one has blocked the other.
func (w *world) follow(user, other string) action {
	at, p := w.nextTime(), pair{user, other}
	if w.model.blocks[p] || w.model.blocks[pair{other, user}] {
		return w.unfollow(user, other)
	}
	return action{what: fmt.Sprintf("follow %s by %s", other, user),
		do: func(ctx context.Context) error {
			_, err := w.store.Follows.Follow(ctx, user, domain.AuthorSource(other), at)
			return err
		},
		apply: func(m *model) error {
			if user == other {
				return domain.NewError(domain.Invalid, "yourself")
			}
			m.follows[p] = true
			return nil
		},
	}
}

func (w *world) unfollow(user, other string) action {
	return action{what: fmt.Sprintf("unfollow %s by %s", other, user),
		do: func(ctx context.Context) error {
			return w.store.Follows.Unfollow(ctx, user, domain.AuthorSource(other))
		},
		apply: func(m *model) error {
			delete(m.follows, pair{user, other})
			return nil
		},
	}
}

// block blocks another user, which ends the follows between both.
func (w *world) block(user, other string) action {
	return action{what: fmt.Sprintf("block %s by %s", other, user),
		do: func(ctx context.Context) error { return w.store.Blocks.Block(ctx, user, other, time.Now()) },
		apply: func(m *model) error {
			if user == other {
				return domain.NewError(domain.Invalid, "yourself")
			}
			m.blocks[pair{user, other}] = true
			m.separate(pair{user, other})
			return nil
		},
	}
}

// fanOut adds new posts to the timelines of followers.
func (w *world) fanOut() {
	w.t.Helper()
	fan := fanout.New(w.store.Follows, w.store.Deliveries, fanout.Options{MergeAbove: 1})
	if err := delivery.New(w.store.Deliveries, delivery.Transports{"timelines": fan},
		delivery.Options{}).Drain(w.t.Context()); err != nil {
		w.fatal("fan-out: %v", err)
	}
}

// followActions returns actions for each of which everyAction has a test.
func followActions() map[string]func(*world) action {
	return map[string]func(*world) action{
		"follow": func(w *world) action {
			author := w.newUser()
			w.newPost(author)
			return w.follow(w.newUser(), author)
		},
		"unfollow": func(w *world) action {
			user, author := w.newUser(), w.newUser()
			w.newPost(author)
			w.must(w.follow(user, author))
			w.settle()
			return w.unfollow(user, author)
		},
		"follow again": func(w *world) action {
			user, author := w.newUser(), w.newUser()
			w.newPost(author)
			w.must(w.follow(user, author))
			w.must(w.unfollow(user, author))
			return w.follow(user, author)
		},
		"block of a follower": func(w *world) action {
			user, author := w.newUser(), w.newUser()
			w.newPost(author)
			w.must(w.follow(user, author))
			w.must(w.follow(author, user))
			return w.block(author, user)
		},
		"deletion of an account that is followed": func(w *world) action {
			user, author := w.newUser(), w.newUser()
			w.newPost(author)
			w.must(w.follow(user, author))
			w.must(w.follow(author, user))
			w.settle()
			return w.deleteAccount(author)
		},
	}
}

// randomFollow returns a random action between two users.
func (w *world) randomFollow(user string) action {
	users := slices.Sorted(maps.Keys(w.model.names))
	other := users[w.random.IntN(len(users))]
	switch n := w.random.IntN(10); {
	case n < 6:
		return w.follow(user, other)
	case n < 9:
		return w.unfollow(user, other)
	}
	return w.block(user, other)
}
