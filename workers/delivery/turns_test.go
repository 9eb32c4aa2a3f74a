package delivery_test

import (
	"context"
	"testing"
	"time"

	"inkfeed/domain"
	"inkfeed/workers/delivery"
)

func TestDeliveryWithMoreToDoLetsOthersHaveTheirTurn(t *testing.T) {
	bubble(t, 1, func(w *world) {
		turns := 0
		w.network.set("host", func(_ context.Context, d domain.Delivery) error {
			if d.ID == "long" {
				if turns++; turns <= 3 {
					time.Sleep(time.Second)
					return delivery.ErrMore
				}
			}
			return nil
		})
		w.store.add("host/1", "long")
		w.store.add("host/2", "short")
		w.after(time.Minute)
		w.received("short", "long")
		if d := w.store.delivery("long"); turns != 4 || d.ID != "" || w.store.destination("host/1").Failures > 0 {
			t.Errorf("%d turns, %+v", turns, d)
		}
	})
}
