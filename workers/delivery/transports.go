package delivery

import (
	"context"
	"strings"

	"inkfeed/domain"
)

// Transports is the transport that carries each delivery by one of several: that of the text before the colon in the
// name of the destination.
type Transports map[string]Transport

func (t Transports) of(destination string) (Transport, string) {
	class, _, _ := strings.Cut(destination, ":")
	return t[class], class
}

// Route implements Transport.
func (t Transports) Route(destination string) Route {
	transport, class := t.of(destination)
	if transport == nil {
		return Route{Host: class, Limit: 1}
	}
	return transport.Route(destination)
}

// Open implements Transport. A destination that a later release knows waits for it.
func (t Transports) Open(ctx context.Context, destination string) (Session, error) {
	transport, class := t.of(destination)
	if transport == nil {
		return nil, &domain.DeliveryError{Fault: domain.ReceiverFailed,
			Answer: "This release knows no deliveries to " + class + "."}
	}
	return transport.Open(ctx, destination)
}
