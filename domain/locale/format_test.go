package locale

import (
	"slices"
	"testing"
)

func TestVerbsOfFormatsBecomeSlots(t *testing.T) {
	text, slots := FromFormat("the tag %q has %d of %d letters, 100%%: %v")
	want := []FormatSlot{{"1", true}, {"n", false}, {"3", false}, {"4", false}}
	if text != "the tag {1} has {n} of {3} letters, 100%: {4}" || !slices.Equal(slots, want) {
		t.Errorf("%q has the slots %v", text, slots)
	}
}
