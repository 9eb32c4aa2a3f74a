package settings

import (
	"fmt"
	"testing"
)

func TestUploadsAtATime(t *testing.T) {
	r := newReceiving()
	var leaves []func()
	enter := func(user, network string, ok bool) {
		t.Helper()
		leave, err := r.enter(user, network)
		if (err == nil) != ok {
			t.Errorf("%s from %q: %v", user, network, err)
		}
		if err == nil {
			leaves = append(leaves, leave)
		}
	}
	t.Run("a user has one", func(t *testing.T) {
		enter("ada", "a", true)
		enter("ada", "b", false)
	})
	t.Run("a network has four", func(t *testing.T) {
		for n := range 5 {
			enter(fmt.Sprint("a", n), "a", n < 3)
		}
		enter("bob", "b", true)
	})
	t.Run("all users have sixteen", func(t *testing.T) {
		for n := range 13 {
			enter(fmt.Sprint("here", n), "", n < 11)
		}
	})
	t.Run("others follow when they are done", func(t *testing.T) {
		for _, leave := range leaves {
			leave()
		}
		if len(r.users)+len(r.networks) != 0 {
			t.Errorf("left: %v %v", r.users, r.networks)
		}
		enter("eve", "a", true)
	})
}
