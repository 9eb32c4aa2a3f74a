package app

import (
	"context"
	"errors"
	"testing"
)

func TestStoppingServerIsNotReady(t *testing.T) {
	serving, stop := context.WithCancel(t.Context())
	failure := errors.New("no data")
	if err := readyUntil(serving, func(context.Context) error { return failure })(t.Context()); err != failure {
		t.Errorf("without data: error %v, want %v", err, failure)
	}
	ready := readyUntil(serving, func(context.Context) error { return nil })
	if err := ready(t.Context()); err != nil {
		t.Errorf("before the stop: %v", err)
	}
	stop()
	if ready(t.Context()) == nil {
		t.Error("the server is ready after the stop")
	}
}
