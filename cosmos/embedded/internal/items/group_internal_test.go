package items

import "testing"

func TestGroupIsBoundedByBytes(t *testing.T) {
	w := &Writer{queue: make(chan *Write, 8)}
	for range cap(w.queue) {
		w.queue <- &Write{Bytes: maxGroupBytes / 4}
	}
	group, rest := w.gather([]*Write{<-w.queue})
	if len(group) != 4 || rest != nil {
		t.Errorf("the group has %d writes of a quarter of the limit each", len(group))
	}
}
