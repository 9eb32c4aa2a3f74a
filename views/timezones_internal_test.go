package views

import (
	"slices"
	"testing"
	"time"
)

func TestOfferedTimeZonesExist(t *testing.T) {
	if !slices.IsSorted(timeZones) {
		t.Error("the zones are not in order")
	}
	for _, zone := range timeZones {
		if _, err := time.LoadLocation(zone); err != nil {
			t.Error(err)
		}
	}
}
