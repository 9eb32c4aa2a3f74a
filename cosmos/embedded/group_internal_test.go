package embedded

import "testing"

func TestGroupIsBoundedByBytes(t *testing.T) {
	w := &writer{queue: make(chan *write, 8)}
	for range cap(w.queue) {
		w.queue <- &write{bytes: maxGroupBytes / 4}
	}
	group, rest := w.gather([]*write{<-w.queue})
	if len(group) != 4 || rest != nil {
		t.Errorf("%d writes of a quarter each", len(group))
	}
}
