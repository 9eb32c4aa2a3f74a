package config

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"inkfeed/cosmos/costs"
	"inkfeed/web/graceful"
	"inkfeed/web/mail"
	"inkfeed/web/site"
	"inkfeed/web/site/botcheck"
	"inkfeed/web/site/ratelimit"
	"inkfeed/web/site/remote"
	"inkfeed/web/site/response"
	"inkfeed/web/telemetry"
)

// Serve holds the settings of the serve command that other commands do not have.
type Serve struct {
	OpsAddr   string   // of metrics and profiles; empty: nowhere
	OpsHosts  []string // names for which OpsAddr answers, in lower case
	Pprof     bool
	LogLevel  slog.Level
	LogFormat telemetry.LogFormat

	URL             string // empty: the address of each request
	Mail            mail.Options
	BounceToken     string // of bounce.Endpoint
	StrictTransport string
	Proxies         remote.Proxies
	RateLimits      ratelimit.Limits
	Prices          costs.Prices
	SignupTime      time.Duration
	DeletionGrace   time.Duration
	CacheBytes      int64 // 0: responses are not cached

	Stopping     graceful.Options
	Poll         time.Duration // of change feeds
	SchedulePoll time.Duration
	LagLimit     time.Duration
	IdleAfter    time.Duration // 0: the workers always read at their usual intervals
	MergeAbove   int           // see fanout.Options

	// TuneGC is true unless the environment variable GOGC tunes the garbage collector.
	TuneGC bool
}

// BindServe binds all settings of a server. Load fills in the result.
func (c *Config) BindServe() *Serve {
	o := &Serve{TuneGC: c.getenv("GOGC") == ""}
	c.keepsFiles = true
	c.BindAddr(DefaultAddr, "listen on this `host:port`")
	c.bindOps(o)
	c.bindLog(o)
	c.bindCache(o)
	c.bindStopping(&o.Stopping)
	c.bindSite(o)
	c.BindMail(&o.Mail)
	c.Bind(Setting{Variable: "INKFEED_BOUNCE_TOKEN", Group: GroupMail, Parse: o.parseBounceToken,
		Usage: "`token` with which a mail server posts returned mails to /mail/bounces, of at least 20 characters; " +
			"empty: it cannot"})
	c.BindStore()
	c.BindSessionKeys()
	c.BindMedia()
	c.BindIntervals()
	c.bindDuration(&o.SchedulePoll, "schedule-poll", "INKFEED_SCHEDULE_POLL", "2s", GroupWorkers,
		"check every `interval` for drafts to publish that other processes scheduled")
	c.bindDuration(&o.LagLimit, "lag-limit", "INKFEED_LAG_LIMIT", "1m", GroupWorkers,
		"/readyz at --ops-addr reports workers that are further behind than this `time`")
	c.Bind(Setting{Flag: "idle-after", Variable: "INKFEED_IDLE_AFTER", Default: "1m", Group: GroupWorkers,
		Usage: "read less often after this `time` without visitors; 0: never",
		Parse: func(text string) (err error) {
			if o.IdleAfter, err = time.ParseDuration(text); err != nil || o.IdleAfter < 0 {
				return fmt.Errorf("%q is not a time like 1m or 90s", text)
			}
			return nil
		}})
	c.bindMergeAbove(&o.MergeAbove)
	c.AddCheck(func() error {
		o.Poll = c.intervals.poll
		if host, _, _ := net.SplitHostPort(o.OpsAddr); host != "" {
			o.OpsHosts = append(o.OpsHosts, strings.ToLower(host))
		}
		o.Mail.Outbox = filepath.Join(c.Data, "outbox")
		if err := mail.CheckOptions(o.Mail); err != nil {
			return err
		}
		return o.check(c.Addr)
	})
	return o
}

// check checks settings together.
func (o *Serve) check(addr string) error {
	host, _, _ := net.SplitHostPort(addr)
	switch {
	case o.Pprof && o.OpsAddr == "":
		return errors.New("--pprof or INKFEED_PPROF: needs --ops-addr or INKFEED_OPS_ADDR, because profiles are not " +
			"public")
	case o.Mail.SMTP != "" && o.URL == "":
		return errors.New("INKFEED_SMTP_URL: needs --url or INKFEED_URL, because the links in mails must not lead to " +
			"an address that a request chose")
	case o.RateLimits.Off() && !IsLoopback(host):
		return fmt.Errorf("--rate-limits or INKFEED_RATE_LIMITS: cannot be off on %s, which is not a loopback address",
			addr)
	}
	return nil
}

// bindOps binds the address for operators and what it serves.
func (c *Config) bindOps(o *Serve) {
	c.Bind(Setting{Flag: "ops-addr", Variable: "INKFEED_OPS_ADDR", Group: GroupServer,
		Usage: "serve Prometheus metrics and the state of the workers on this `host:port`; empty: nowhere",
		Parse: func(text string) error {
			if o.OpsAddr = text; text == "" {
				return nil
			}
			return CheckAddr(text)
		}},
		Setting{Flag: "ops-hosts", Variable: "INKFEED_OPS_HOSTS", Group: GroupServer, Parse: o.parseOpsHosts,
			Usage: "answer requests to --ops-addr that ask for these `names`, such as inkfeed,blog.example.org; " +
				"IP addresses, localhost and the name in --ops-addr need none"},
		Setting{Flag: "pprof", Variable: "INKFEED_PPROF", Default: "false", Switch: true, Group: GroupServer,
			Usage: "serve profiles of this process beside the metrics, under /debug/pprof/", Parse: Bool(&o.Pprof)})
}

func (o *Serve) parseOpsHosts(text string) error {
	o.OpsHosts = nil
	for name := range strings.SplitSeq(text, ",") {
		name = strings.ToLower(strings.TrimSpace(name))
		switch {
		case strings.ContainsAny(name, ":/*@ "):
			return fmt.Errorf("%q is not the name of a host, without scheme and port", name)
		case name != "":
			o.OpsHosts = append(o.OpsHosts, name)
		}
	}
	return nil
}

// bindLog binds the level below which log entries are left out, and the form of the others.
func (c *Config) bindLog(o *Serve) {
	c.Bind(
		Setting{Flag: "log-level", Variable: "INKFEED_LOG_LEVEL", Default: "info", Group: GroupServer,
			Usage: "log entries of this `level` and above: debug, info, warn or error; debug also tells why a form " +
				"was rejected and which responses came from the cache",
			Parse: func(text string) error {
				if err := o.LogLevel.UnmarshalText([]byte(text)); err != nil {
					return fmt.Errorf("%q is not debug, info, warn or error", text)
				}
				return nil
			}},
		Setting{Flag: "log-format", Variable: "INKFEED_LOG_FORMAT", Default: "text", Group: GroupServer,
			Usage: "log entries in this `format`: text or json (docs/telemetry.md lists the keys)",
			Parse: func(text string) error { return o.LogFormat.UnmarshalText([]byte(text)) }})
}

// maxCache is an upper limit of the cache's size in megabytes.
const maxCache = 1 << 20

// bindCache binds the size of the cache of responses.
func (c *Config) bindCache(o *Serve) {
	c.Bind(Setting{Flag: "cache-mb", Variable: "INKFEED_CACHE_MB", Default: "64", Group: GroupServer,
		Usage: "cache responses to anonymous visitors in this many `megabytes` of memory; 0: do not cache",
		Parse: func(text string) error {
			n, err := strconv.ParseInt(text, 10, 64)
			if err != nil || n < 0 || n > maxCache {
				return fmt.Errorf("%q is not a number of megabytes", text)
			}
			o.CacheBytes = n << 20
			return nil
		}})
}

// bindStopping binds the time limits of stopping. By default the leases are released within the 10 seconds that
// containers are given.
func (c *Config) bindStopping(o *graceful.Options) {
	c.bindDuration(&o.Drain, "drain-time", "INKFEED_DRAIN_TIME", "250ms", GroupServer,
		"after SIGTERM accept requests for this `time`, while /readyz answers 503")
	c.bindDuration(&o.Finish, "finish-time", "INKFEED_FINISH_TIME", "6s", GroupServer,
		"then wait this `time` for running requests before they are cancelled")
}

// bindSite binds the settings that visitors notice.
func (c *Config) bindSite(o *Serve) {
	c.BindURL(&o.URL)
	c.Bind(
		Setting{Flag: "trusted-proxies", Variable: "INKFEED_TRUSTED_PROXIES", Group: GroupSite,
			Usage: "trust X-Forwarded-For and X-Forwarded-Proto from these `addresses`, such as " +
				"10.0.0.7,10.1.0.0/16, or from this machine (loopback)",
			Parse: func(text string) (err error) { o.Proxies, err = remote.ParseProxies(text); return err }},
		Setting{Flag: "hsts", Variable: "INKFEED_HSTS", Default: response.DefaultStrictTransport, Group: GroupSite,
			Usage: "`value` of Strict-Transport-Security over HTTPS, such as max-age=63072000; includeSubDomains; " +
				"preload; off: no such header",
			Parse: func(text string) (err error) {
				o.StrictTransport, err = response.ParseStrictTransport(text)
				return err
			}},
		Setting{Flag: "rate-limits", Variable: "INKFEED_RATE_LIMITS", Group: GroupSite,
			Usage: "change the default rate `limits`, such as login=5/15m,search=off (docs/security-design.md lists " +
				"them); off: no limits, on loopback addresses only",
			Parse: func(text string) (err error) { o.RateLimits, err = ratelimit.Parse(text); return err }},
		Setting{Flag: "prices", Variable: "INKFEED_PRICES", Default: costs.ListPrices.String(), Group: GroupSite,
			Usage: "`prices` of the projected bills on /admin/costs: of 100 RU/s provisioned for an hour, of a " +
				"million RU serverless, and of a gigabyte for a month",
			Parse: func(text string) (err error) { o.Prices, err = costs.ParsePrices(text); return err }},
		Setting{Flag: "signup-time", Variable: "INKFEED_SIGNUP_TIME", Default: botcheck.DefaultSignupTime.String(),
			Group: GroupSite, Parse: o.parseSignupTime,
			Usage: "hold for review what new accounts submit faster than this `time`: a post or comment, or " +
				"all texts after such a sign-up; 0: accept forms of any age"},
		Setting{Flag: "deletion-grace", Variable: "INKFEED_DELETION_GRACE", Default: "14d", Group: GroupSite,
			Parse: o.parseDeletionGrace,
			Usage: "delete an account this `time` after its user asked for it, such as 14d or 36h; the user can " +
				"cancel until then; 0: delete at once"})
}

func (o *Serve) parseSignupTime(text string) (err error) {
	if o.SignupTime, err = time.ParseDuration(text); err != nil || o.SignupTime < 0 {
		return fmt.Errorf("%q is not a time such as 2s", text)
	}
	return nil
}

const maxDeletionGrace = 365 * 24 * time.Hour

func (o *Serve) parseDeletionGrace(text string) (err error) {
	if days, ok := strings.CutSuffix(text, "d"); ok {
		var n int
		n, err = strconv.Atoi(days)
		o.DeletionGrace = time.Duration(min(max(n, -1), 1000)) * 24 * time.Hour
	} else {
		o.DeletionGrace, err = time.ParseDuration(text)
	}
	if err != nil || o.DeletionGrace < 0 || o.DeletionGrace > maxDeletionGrace {
		return fmt.Errorf("%q is not a time such as 14d or 36h, of at most a year", text)
	}
	return nil
}

// BindURL binds the public address of the site.
func (c *Config) BindURL(url *string) {
	c.Bind(Setting{Flag: "url", Variable: "INKFEED_URL", Group: GroupSite,
		Usage: "public `address` of the site, such as https://blog.example.org; empty: the address of each request",
		Parse: func(text string) (err error) {
			if text == "" {
				return nil
			}
			if *url, err = site.ParseURL(text); err != nil {
				return fmt.Errorf("%q is %w", text, err)
			}
			return nil
		}})
}

// minBounceToken is the minimum length of the token for returned mails.
const minBounceToken = 20

func (o *Serve) parseBounceToken(text string) error {
	if o.BounceToken = text; text != "" && len(text) < minBounceToken {
		return fmt.Errorf("has %d characters, fewer than %d", len(text), minBounceToken)
	}
	return nil
}

// BindMail binds the mail server and the sender. The server's address can contain a password.
func (c *Config) BindMail(o *mail.Options) {
	c.Bind(
		Setting{Variable: "INKFEED_SMTP_URL", Group: GroupMail, Parse: Text(&o.SMTP),
			Usage: "`address` of a mail server, such as smtp://user:password@host:587, which must offer STARTTLS " +
				"unless it is on this machine, or smtps://user:password@host; needs --url; empty: mails are written " +
				"to the folder outbox in the data folder"},
		Setting{Variable: "INKFEED_MAIL_FROM", Group: GroupMail, Parse: Text(&o.From),
			Usage: "`sender` of mails, such as Inkfeed <no-reply@blog.example.org>; required with a mail server"},
		Setting{Variable: "INKFEED_BOUNCE_ADDRESS", Group: GroupMail, Parse: Text(&o.Bounces),
			Usage: "`address` to which mails of subscriptions are returned, such as bounces@blog.example.org, which " +
				"must also receive mails to bounces+anything@blog.example.org; empty: that of INKFEED_MAIL_FROM"},
		Setting{Variable: "INKFEED_DKIM_KEY", Group: GroupMail, Parse: Text(&o.DKIMKey),
			Usage: "`path` of a PEM file with an RSA or Ed25519 key that signs mails; empty: they are not signed"},
		Setting{Variable: "INKFEED_DKIM_SELECTOR", Group: GroupMail, Parse: Text(&o.DKIMSelector),
			Usage: "`name` of the key's record below _domainkey at the domain of INKFEED_MAIL_FROM"})
}
