package web

import (
	"context"
	"fmt"
	"log/slog"
	"reflect"
	"time"

	"go.opentelemetry.io/otel/trace"

	prices "inkfeed/cosmos/costs"
	"inkfeed/domain/locale"
	"inkfeed/domain/markdown"
	"inkfeed/domain/portable"
	"inkfeed/domain/throttle"
	"inkfeed/web/costs"
	"inkfeed/web/credential"
	"inkfeed/web/newsletter"
	"inkfeed/web/pagecache"
	"inkfeed/web/site"
	"inkfeed/web/site/ratelimit"
	"inkfeed/web/site/remote"
	"inkfeed/web/uploads"
)

// Config configures the site. Fields marked optional may be zero.
type Config struct {
	// URL is the public address of the site, such as https://blog.example.org: see site.ParseURL. If it is empty, links
	// begin with the address that the request was sent to.
	URL string `config:"optional"`

	Stores
	Search Search
	Files  Files
	// Lags and Tailers are the state of the workers.
	Lags    costs.Lags
	Tailers costs.Tailers
	// ReadUpload reads an uploaded export of static pages.
	ReadUpload portable.ReadUpload

	// Prices are those of the projected bills; by default Azure's list prices.
	Prices prices.Prices `config:"optional"`
	// Embedded reports that the embedded engine stores the data, so that nobody pays these prices.
	Embedded bool `config:"optional"`

	// Languages are those of the interface; by default all that have a catalogue.
	Languages *locale.Set `config:"optional"`

	Markdown *markdown.Renderer
	Mailer   credential.Mailer
	Pictures uploads.PictureMaker
	// Throttle limits expensive work. Without it, nothing is limited.
	Throttle *throttle.Throttle `config:"optional"`
	// Pace bounds what exports cost, and knows what other work of an account in the background has cost. Without it,
	// exports are limited by their number only.
	Pace *throttle.Pace `config:"optional"`
	// WakeImports tells the runner of this process that an import needs work.
	WakeImports func() `config:"optional"`

	// Composer writes the mails to subscribers. New sets how it reads personal feeds.
	Composer *newsletter.Composer
	// BounceToken lets a mail server post returned mails. Without it, none can.
	BounceToken string `config:"optional"`

	// SignupTime is the shortest time in which a person fills in the sign-up form or, with a new account, writes a
	// text. Faster submissions are rejected as automated; 0 accepts all.
	SignupTime time.Duration `config:"optional"`
	// DeletionGrace is how long an account is kept before its deletion, so that its user can cancel. At 0 it is deleted
	// at once.
	DeletionGrace time.Duration `config:"optional"`
	// Current knows the current settings of the site. By default they are those of this process alone, and the default
	// settings at its start.
	Current site.CurrentSettings `config:"optional"`
	// CurrentPages knows the current static pages. By default they are those of this process alone, and none at its
	// start.
	CurrentPages site.CurrentPages `config:"optional"`
	// SessionKeys are secrets of at least 32 bytes each. The first one signs new cookies; signatures by any of them are
	// accepted.
	SessionKeys [][]byte
	// Visits is told of the requests of people. Without it, workers read as if the site were always in use.
	Visits Visits `config:"optional"`
	// Ready returns an error while the data cannot be reached.
	Ready func(context.Context) error
	// StrictTransport is the header Strict-Transport-Security of encrypted responses: see
	// response.ParseStrictTransport.
	StrictTransport string `config:"optional"`
	// Proxies are trusted to name the address of the client.
	Proxies remote.Proxies `config:"optional"`
	// Passwords hashes passwords; by default it is credential.NewHasher.
	Passwords credential.Hasher `config:"optional"`
	// RateLimits limit how often visitors may do something. Without them nothing is limited.
	RateLimits ratelimit.Limits `config:"optional"`
	// Meter returns a context, and a function that returns the request units of the storage requests made under it so
	// far. Without it, units are not limited.
	Meter func(context.Context) (context.Context, func() float64) `config:"optional"`
	// Cache stores prepared responses and query results of this site alone.
	Cache *pagecache.Cache `config:"optional"`
	// Traces makes spans of requests.
	Traces trace.TracerProvider `config:"optional"`
	Logger *slog.Logger
}

// check returns an error that names a missing field.
func (c Config) check() error {
	v := reflect.ValueOf(c)
	for _, field := range reflect.VisibleFields(v.Type()) {
		if field.Tag.Get("config") != "optional" && v.FieldByIndex(field.Index).IsZero() {
			return fmt.Errorf("web: field %s of the configuration is not set", field.Name)
		}
	}
	return nil
}
