package loop

// Signal wakes a goroutine that receives from it. Signals that come while one is pending count as one.
type Signal chan struct{}

// NewSignal returns a signal that is not set.
func NewSignal() Signal { return make(Signal, 1) }

// Set wakes the receiver, or makes its next receive return at once. It never blocks.
func (s Signal) Set() {
	select {
	case s <- struct{}{}:
	default:
	}
}
