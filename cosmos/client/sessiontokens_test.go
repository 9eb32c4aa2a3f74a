package client

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestSessionsKeepTheNewestTokenOfEachRange(t *testing.T) {
	s := newSessionTokens()
	s.learn("posts", "0:-1#5")
	s.learn("posts", "1:-1#2,0:-1#4")
	s.learn("posts", "")
	s.learn("users", "0:-1#9")
	if got := s.token("posts"); got != "0:-1#5,1:-1#2" {
		t.Errorf("posts: %q", got)
	}
	s.learn("posts", "0:0#12#3=12")
	if got := s.token("posts"); got != "0:0#12#3=12,1:-1#2" {
		t.Errorf("posts: %q", got)
	}
	s.learn("posts", "0:-1#99") // from before the failover
	if got := s.token("posts"); got != "0:0#12#3=12,1:-1#2" {
		t.Errorf("posts: %q", got)
	}
	s.learn("posts", "0:1#3#3=3")
	if got := s.token("posts"); got != "0:1#3#3=3,1:-1#2" {
		t.Errorf("posts: %q", got)
	}
}

func TestSessionTokensOfReplicasThatAreBehind(t *testing.T) {
	t.Run("are kept while a replica may catch up", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newSessionTokens()
			s.learn("posts", "0:-1#5")
			for began := time.Now(); time.Since(began) <= behindLimit; time.Sleep(time.Second) {
				s.behind("posts")
				if got := s.token("posts"); got != "0:-1#5" {
					t.Fatalf("after %v the token is %q", time.Since(began), got)
				}
			}
		})
	})
	t.Run("are dropped when no answer has reached them for some time", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newSessionTokens()
			s.learn("posts", "0:-1#5,1:-1#7")
			s.learn("users", "0:-1#9")
			s.behind("posts")
			time.Sleep(behindLimit + time.Second)
			s.learn("posts", "1:-1#7") // this replica has caught up
			s.learn("posts", "0:-1#2") // this one was restored from an older copy
			s.behind("posts")
			if got := s.token("posts"); got != "1:-1#7" {
				t.Errorf("posts: %q", got)
			}
			if got := s.token("users"); got != "0:-1#9" {
				t.Errorf("users: %q", got)
			}
			s.learn("posts", "0:-1#2")
			if got := s.token("posts"); got != "0:-1#2,1:-1#7" {
				t.Errorf("posts after a new answer: %q", got)
			}
		})
	})
}

func TestContainerOf(t *testing.T) {
	for path, want := range map[string]string{
		"/dbs/inkfeed/colls/posts/docs":     "posts",
		"/dbs/inkfeed/colls/posts/docs/abc": "posts",
		"/dbs/inkfeed/colls/posts/pkranges": "",
		"/dbs/inkfeed/colls/posts":          "",
		"/":                                 "",
	} {
		if got := ContainerOf(path); got != want {
			t.Errorf("the container of %s is %q, want %q", path, got, want)
		}
	}
}
