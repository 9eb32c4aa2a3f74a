package mail

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"regexp"
	"slices"
	"strings"

	"github.com/emersion/go-msgauth/dkim"
	"github.com/emersion/go-msgauth/dmarc"
	"golang.org/x/net/publicsuffix"

	"inkfeed/domain"
)

// Resolver looks up names and addresses, as *net.Resolver does.
type Resolver interface {
	LookupTXT(ctx context.Context, name string) ([]string, error)
	LookupHost(ctx context.Context, host string) (addresses []string, err error)
	LookupAddr(ctx context.Context, address string) (names []string, err error)
}

// Finding is what one check found, in sentences.
type Finding struct {
	Wrong bool // something must change
	Text  string
}

// Examine checks whether receivers trust the mails of this site: the mail server, and the DNS records of the sender.
func (m *Mailer) Examine(ctx context.Context, names Resolver) []Finding {
	if m.server == nil {
		return []Finding{{true, "No mail server is configured. Set INKFEED_SMTP_URL and INKFEED_MAIL_FROM."}}
	}
	x := &examiner{Mailer: m, ctx: ctx, names: names, from: hostOf(m.from), sender: hostOf(cmp.Or(m.bounces, m.from))}
	if session, err := m.Open(ctx, domain.UrgentMail); err == nil {
		session.Close()
		x.say(fine, "The mail server %s can be used.", m.server.host)
	} else {
		x.say(wrong, "The mail server %s cannot be used: %v. Look at INKFEED_SMTP_URL.", m.server.host, err)
	}
	x.checkSPF()
	x.checkDKIM()
	x.checkDMARC()
	x.checkReverseNames()
	return x.list
}

type examiner struct {
	*Mailer
	ctx          context.Context
	names        Resolver
	from, sender string // domains; sender is that of the envelope address, to which SPF applies
	list         []Finding
}

const fine, wrong = false, true

func (x *examiner) say(wrong bool, format string, args ...any) {
	x.list = append(x.list, Finding{wrong, fmt.Sprintf(format, args...)})
}

// failed adds a finding for a failed look-up, if it failed. A missing name is no failure.
func (x *examiner) failed(name string, err error) bool {
	if e, ok := errors.AsType[*net.DNSError](err); err == nil || ok && e.IsNotFound {
		return false
	}
	x.say(wrong, "%s could not be looked up: %v. Try again, or look at its name servers.", name, err)
	return true
}

func (x *examiner) lookupTXT(name string) ([]string, error) { return x.names.LookupTXT(x.ctx, name) }

var (
	isSPF     = regexp.MustCompile(`(?i)^v=spf1( |$)`)
	closesSPF = regexp.MustCompile(`(?i) ([-~]all|redirect=\S+)( |$)`) // the record excludes other servers
)

func (x *examiner) checkSPF() {
	list, err := x.lookupTXT(x.sender)
	if x.failed(x.sender, err) {
		return
	}
	list = slices.DeleteFunc(slices.Clone(list), func(text string) bool { return !isSPF.MatchString(text) })
	switch {
	case len(list) == 0:
		x.say(wrong, "SPF: %s does not say which servers send its mails. Add a TXT record there such as %q, with the "+
			"name that the operator of your mail server tells you.", x.sender, "v=spf1 include:spf.example.net -all")
	case len(list) > 1:
		x.say(wrong, "SPF: %s has %d records that begin with v=spf1, so receivers ignore them. Join them into one.",
			x.sender, len(list))
	case !closesSPF.MatchString(list[0]):
		x.say(wrong, "SPF: the record %q of %s lets any server send its mails. End it with -all.", list[0], x.sender)
	default:
		x.say(fine, "SPF: %s has the record %q. It must include your mail server.", x.sender, list[0])
	}
}

// checkDKIM signs a sample and verifies it, as receivers do.
func (x *examiner) checkDKIM() {
	if x.dkim == nil {
		x.say(fine, "DKIM: Inkfeed does not sign mails. If your mail server does not sign those of %s either, set "+
			"INKFEED_DKIM_KEY and INKFEED_DKIM_SELECTOR.", x.from)
		return
	}
	name, value := x.dkim.record()
	text, err := x.dkim.sign([]byte("From: " + x.from + "\r\n\r\n"))
	if err == nil {
		var found []*dkim.Verification
		found, err = dkim.VerifyWithOptions(bytes.NewReader(text), &dkim.VerifyOptions{LookupTXT: x.lookupTXT})
		if err == nil {
			err = found[0].Err
		}
	}
	if err != nil {
		x.say(wrong, "DKIM: receivers cannot verify the signatures: %v. The TXT record at %s must be: %s", err, name,
			value)
	} else {
		x.say(fine, "DKIM: mails are signed, and the record at %s has the key.", name)
	}
}

func (x *examiner) checkDMARC() {
	whole := organization(x.from)
	options := &dmarc.LookupOptions{LookupTXT: x.lookupTXT}
	record, err := dmarc.LookupWithOptions(x.from, options)
	if errors.Is(err, dmarc.ErrNoPolicy) {
		record, err = dmarc.LookupWithOptions(whole, options)
	}
	switch {
	case err != nil:
		x.say(wrong, "DMARC: %s has no valid policy: %v. Add a TXT record at _dmarc.%s such as %q.", x.from, err, whole,
			"v=DMARC1; p=none")
	case x.dkim == nil && organization(x.sender) != whole:
		x.say(fine, "DMARC: %s has the policy %s. Mails return to %s, another domain, so your mail server must sign "+
			"them for %s.", x.from, record.Policy, x.sender, whole)
	default:
		x.say(fine, "DMARC: %s has the policy %s.", x.from, record.Policy)
	}
}

// organization returns the part of a domain that was registered.
func organization(host string) string {
	name, _ := publicsuffix.EffectiveTLDPlusOne(strings.ToLower(host))
	return cmp.Or(name, host)
}

// checkReverseNames checks the addresses of the sender's own mail server. Other servers may send from other addresses.
func (x *examiner) checkReverseNames() {
	host := x.server.host
	if organization(host) != organization(x.from) {
		x.say(fine, "Reverse names: ask the operator of %s whether the addresses from which it sends have one.", host)
		return
	}
	addresses, err := x.names.LookupHost(x.ctx, host)
	if x.failed(host, err) {
		return
	}
	for _, address := range addresses {
		names, err := x.names.LookupAddr(x.ctx, address)
		switch {
		case x.failed(address, err):
		case slices.ContainsFunc(names, func(name string) bool {
			back, _ := x.names.LookupHost(x.ctx, name)
			return slices.Contains(back, address)
		}):
			x.say(fine, "Reverse names: %s is %s.", address, strings.Join(names, ", "))
		default:
			x.say(wrong, "Reverse names: the address %s of %s has no name that leads back to it. Ask the provider of "+
				"the address to give it the name %s.", address, host, host)
		}
	}
}
