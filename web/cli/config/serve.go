package config

import (
	"errors"
	"flag"
	"fmt"
	"net"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"inkfeed/web"
	"inkfeed/web/graceful"
	"inkfeed/web/mail"
)

// Serve is what the serve command obeys besides the settings that others have, too.
type Serve struct {
	OpsAddr string // empty: operators see nothing from within
	Pprof   bool

	URL             string // empty: where each request was sent
	Mail            mail.Options
	StrictTransport string
	Proxies         web.Proxies
	RateLimits      web.RateLimits
	SignupTime      time.Duration
	DeletionGrace   time.Duration
	CacheBytes      int64 // 0: no page is kept

	Stopping     graceful.Options
	Poll         time.Duration // of change feeds
	SchedulePoll time.Duration
	LagLimit     time.Duration

	// BoundGarbage tells that nobody has said, by GOGC, how much garbage may lie about.
	BoundGarbage bool
}

// ObeyServe registers all settings of a server. What it returns is filled in once they
// are checked.
func (c *Config) ObeyServe(flags *flag.FlagSet) *Serve {
	o := &Serve{BoundGarbage: c.getenv("GOGC") == ""}
	c.ObeyAddr(flags, DefaultAddr, "listen on this `host:port`")
	c.obeyOps(flags, o)
	c.keepsFiles = true
	c.ObeyStore(flags)
	c.ObeyMedia(flags)
	c.obeySessionKeys()
	c.ObeyIntervals(flags)
	c.ObeyURL(flags, &o.URL)
	c.obeyMail(&o.URL, &o.Mail)
	c.obeyStrictTransport(flags, &o.StrictTransport)
	c.obeyProxies(flags, &o.Proxies)
	c.obeyRateLimits(flags, &o.RateLimits)
	c.obeySignupTime(flags, &o.SignupTime)
	c.obeyStopping(flags, &o.Stopping)
	c.obeyDeletionGrace(flags, &o.DeletionGrace)
	c.obeyCache(flags, &o.CacheBytes)
	c.obeyDuration(flags, &o.SchedulePoll, "schedule-poll", "INKFEED_SCHEDULE_POLL", "2s", "look this often for drafts to publish that other processes scheduled")
	c.obeyDuration(flags, &o.LagLimit, "lag-limit", "INKFEED_LAG_LIMIT", "1m", "say on /readyz when workers are behind by more")
	c.Checking(func() error {
		o.Poll = c.intervals.poll
		o.Mail.Outbox = filepath.Join(c.Data, "outbox")
		return nil
	})
	return o
}

// obeyOps registers where operators look at a server from within, and what they see there.
func (c *Config) obeyOps(flags *flag.FlagSet, o *Serve) {
	flags.StringVar(&o.OpsAddr, "ops-addr", c.getenv("INKFEED_OPS_ADDR"), "Prometheus metrics on this `host:port`; empty: nowhere (INKFEED_OPS_ADDR)")
	inEnvironment := c.or("INKFEED_PPROF", "false")
	on, err := strconv.ParseBool(inEnvironment)
	flags.BoolVar(&o.Pprof, "pprof", on, "profiles of this process, by net/http/pprof, beside the metrics (INKFEED_PPROF)")
	c.Checking(func() error {
		if err := CheckAddr(o.OpsAddr); o.OpsAddr != "" && err != nil {
			return fmt.Errorf("--ops-addr or INKFEED_OPS_ADDR: %w", err)
		}
		switch {
		case err != nil:
			return fmt.Errorf("INKFEED_PPROF: %q is neither true nor false", inEnvironment)
		case o.Pprof && o.OpsAddr == "":
			return errors.New("--pprof or INKFEED_PPROF: needs --ops-addr or INKFEED_OPS_ADDR: profiles are not for readers")
		}
		return nil
	})
}

// maxCache is, in megabytes, more memory than any machine has.
const maxCache = 1 << 20

// obeyCache registers how much memory pages are kept in.
func (c *Config) obeyCache(flags *flag.FlagSet, bytes *int64) {
	text := flags.String("cache-mb", c.or("INKFEED_CACHE_MB", "64"), "keep pages ready in so many `megabytes`, until what they show changes; 0: make each anew (INKFEED_CACHE_MB)")
	c.Checking(func() error {
		n, err := strconv.ParseInt(*text, 10, 64)
		if err != nil || n < 0 || n > maxCache {
			return fmt.Errorf("--cache-mb or INKFEED_CACHE_MB: %q is no number of megabytes", *text)
		}
		*bytes = n << 20
		return nil
	})
}

// obeyStopping registers how long it takes to stop. By default there is time to release
// leases within the 10 seconds that containers are given.
func (c *Config) obeyStopping(flags *flag.FlagSet, o *graceful.Options) {
	c.obeyDuration(flags, &o.Drain, "drain-time", "INKFEED_DRAIN_TIME", "250ms", "when told to stop take requests for so long still, while /readyz says that others are to be asked")
	c.obeyDuration(flags, &o.Finish, "finish-time", "INKFEED_FINISH_TIME", "6s", "cut requests off that are not answered so long after that")
}

// obeySignupTime registers how long people take to sign up at least.
func (c *Config) obeySignupTime(flags *flag.FlagSet, least *time.Duration) {
	text := flags.String("signup-time", c.or("INKFEED_SIGNUP_TIME", web.DefaultSignupTime.String()), "people take this `time` to sign up at least and, while their accounts are new, to write: who is faster is asked to try again; 0: nobody is (INKFEED_SIGNUP_TIME)")
	c.Checking(func() error {
		var err error
		if *least, err = time.ParseDuration(*text); err != nil || *least < 0 {
			return fmt.Errorf("--signup-time or INKFEED_SIGNUP_TIME: %q is not a time such as 2s", *text)
		}
		return nil
	})
}

// maxDeletionGrace is more than anybody waits.
const maxDeletionGrace = 365 * 24 * time.Hour

// obeyDeletionGrace registers how long accounts stay that are to be deleted.
func (c *Config) obeyDeletionGrace(flags *flag.FlagSet, grace *time.Duration) {
	text := flags.String("deletion-grace", c.or("INKFEED_DELETION_GRACE", "14d"), "delete an account so long after its user asked for it, a `time` such as 14d or 36h, in which the user can take it back; 0: at once (INKFEED_DELETION_GRACE)")
	c.Checking(func() error {
		var err error
		if days, ok := strings.CutSuffix(*text, "d"); ok {
			var n int
			n, err = strconv.Atoi(days)
			*grace = time.Duration(min(max(n, -1), 1000)) * 24 * time.Hour
		} else {
			*grace, err = time.ParseDuration(*text)
		}
		if err != nil || *grace < 0 || *grace > maxDeletionGrace {
			return fmt.Errorf("--deletion-grace or INKFEED_DELETION_GRACE: %q is not a time such as 14d or 36h, of a year at most", *text)
		}
		return nil
	})
}

// ObeyURL registers the address at which the world finds the site.
func (c *Config) ObeyURL(flags *flag.FlagSet, url *string) {
	text := flags.String("url", c.getenv("INKFEED_URL"), "the world finds the site at this `address`, such as https://blog.example.org; empty: where each request was sent (INKFEED_URL)")
	c.Checking(func() error {
		if *text == "" {
			return nil
		}
		parsed, err := web.ParseURL(*text)
		if err != nil {
			return fmt.Errorf("--url or INKFEED_URL: %q is %w", *text, err)
		}
		*url = parsed
		return nil
	})
}

// obeyStrictTransport registers what browsers are told that came encrypted.
func (c *Config) obeyStrictTransport(flags *flag.FlagSet, header *string) {
	text := flags.String("hsts", c.or("INKFEED_HSTS", web.DefaultStrictTransport), "tell browsers that came encrypted to come so only, in the `words` of Strict-Transport-Security: max-age=63072000; includeSubDomains; preload; off: do not (INKFEED_HSTS)")
	c.Checking(func() (err error) {
		if *header, err = web.ParseStrictTransport(*text); err != nil {
			return fmt.Errorf("--hsts or INKFEED_HSTS: %w", err)
		}
		return nil
	})
}

// obeyProxies registers whose word is believed about where a request comes from.
func (c *Config) obeyProxies(flags *flag.FlagSet, proxies *web.Proxies) {
	text := flags.String("trusted-proxies", c.getenv("INKFEED_TRUSTED_PROXIES"), "believe X-Forwarded-For and X-Forwarded-Proto from these `addresses`, such as 10.0.0.7,10.1.0.0/16; loopback: this machine; empty: nobody (INKFEED_TRUSTED_PROXIES)")
	c.Checking(func() (err error) {
		if *proxies, err = web.ParseProxies(*text); err != nil {
			return fmt.Errorf("--trusted-proxies or INKFEED_TRUSTED_PROXIES: %w", err)
		}
		return nil
	})
}

// obeyRateLimits registers how often visitors may do what. Without limits only who is on
// this machine can reach the server, as a load test does.
func (c *Config) obeyRateLimits(flags *flag.FlagSet, limits *web.RateLimits) {
	text := flags.String("rate-limits", c.getenv("INKFEED_RATE_LIMITS"), "`limits` other than the usual, such as login=5/15m,search=off (docs/security-design.md lists them); off: none, on loopback addresses only (INKFEED_RATE_LIMITS)")
	c.Checking(func() (err error) {
		if *limits, err = web.ParseRateLimits(*text); err != nil {
			return fmt.Errorf("--rate-limits or INKFEED_RATE_LIMITS: %w", err)
		}
		if host, _, _ := net.SplitHostPort(c.Addr); limits.Off() && !IsLoopback(host) {
			return fmt.Errorf("--rate-limits or INKFEED_RATE_LIMITS: cannot be off on %s, which is not a loopback address", c.Addr)
		}
		return nil
	})
}

// obeyMail registers how mails are sent. What says so may hold a password, and has no flag.
func (c *Config) obeyMail(url *string, options *mail.Options) {
	c.Variables = append(c.Variables, "INKFEED_SMTP_URL and INKFEED_MAIL_FROM: a mail server, and who mails are from; without them mails go to the folder outbox of the data")
	options.SMTP, options.From = c.getenv("INKFEED_SMTP_URL"), c.getenv("INKFEED_MAIL_FROM")
	c.Checking(func() error {
		if _, err := mail.New(*options); err != nil {
			return err
		}
		if options.SMTP != "" && *url == "" {
			return errors.New("INKFEED_SMTP_URL: needs --url or INKFEED_URL, for the links in mails must not lead where whoever asks for them likes")
		}
		return nil
	})
}
