package cosmos

import "testing"

func TestSessionsKeepTheNewestTokenOfEachRange(t *testing.T) {
	s := newSessions()
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
	s.learn("posts", "0:-1#99") // of before the failover
	if got := s.token("posts"); got != "0:0#12#3=12,1:-1#2" {
		t.Errorf("posts: %q", got)
	}
	s.learn("posts", "0:1#3#3=3")
	if got := s.token("posts"); got != "0:1#3#3=3,1:-1#2" {
		t.Errorf("posts: %q", got)
	}
	for range maxBehind {
		s.behind("posts")
		if s.token("posts") == "" {
			t.Error("the tokens are dropped although a replica may catch up")
		}
	}
	s.behind("posts")
	if got := s.token("posts"); got != "" {
		t.Errorf("posts: %q, although no replica knows it", got)
	}
	if got := s.token("users"); got != "0:-1#9" {
		t.Errorf("users: %q", got)
	}
}

func TestContainerOf(t *testing.T) {
	for path, want := range map[string]string{
		"/dbs/inkfeed/colls/posts/docs":     "posts",
		"/dbs/inkfeed/colls/posts/docs/abc": "posts",
		"/dbs/inkfeed/colls/posts/pkranges": "",
		"/dbs/inkfeed/colls/posts":          "",
		"/":                                 "",
	} {
		if got := containerOf(path); got != want {
			t.Errorf("%s is of %q, want %q", path, got, want)
		}
	}
}
