package mail_test

import (
	"context"
	"errors"
	"net"
	"slices"
	"strings"
	"testing"

	"inkfeed/web/mail"
)

// zone has the records of names. An error stands for a name server that fails.
type zone struct {
	texts, hosts, names map[string][]string
	broken              string // this name
}

func (z zone) look(list map[string][]string, name string) ([]string, error) {
	if name == z.broken {
		return nil, errors.New("server misbehaving")
	}
	if found := list[strings.TrimSuffix(name, ".")]; found != nil {
		return found, nil
	}
	return nil, &net.DNSError{Err: "no such host", Name: name, IsNotFound: true}
}

func (z zone) LookupTXT(_ context.Context, name string) ([]string, error) {
	return z.look(z.texts, name)
}

func (z zone) LookupHost(_ context.Context, name string) ([]string, error) {
	return z.look(z.hosts, name)
}

func (z zone) LookupAddr(_ context.Context, name string) ([]string, error) {
	return z.look(z.names, name)
}

// soundZone returns the records of a sender that receivers trust.
func soundZone(record string) zone {
	return zone{
		texts: map[string][]string{"example.org": {"google-site-verification=1", "v=spf1 mx -all"},
			"one._domainkey.example.org": {record}, "_dmarc.example.org": {"v=DMARC1; p=reject"}},
		hosts: map[string][]string{"localhost": {"192.0.2.1"}},
		names: map[string][]string{"192.0.2.1": {"localhost."}}}
}

// examined returns what must change, joined, and the number of findings.
func examined(m *mail.Mailer, z zone) (wrong string, n int) {
	list := m.Examine(context.Background(), z)
	for _, f := range list {
		if f.Wrong {
			wrong += f.Text + "\n"
		}
	}
	return wrong, len(list)
}

func TestWhatMustChangeIsNamed(t *testing.T) {
	_, address := posted(t)
	path, record := keyFile(t, ed25519Key(t))
	_, another := keyFile(t, ed25519Key(t))
	m, _ := mailing(t, mail.Options{SMTP: address, From: from, DKIMKey: path, DKIMSelector: "one"})
	if wrong, n := examined(m, soundZone(record)); wrong != "" || n != 5 {
		t.Errorf("%d findings; of a sound zone must change:\n%s", n, wrong)
	}
	txt := func(name string, values ...string) func(*zone) { return func(z *zone) { z.texts[name] = values } }
	for want, damage := range map[string]func(*zone){
		"SPF: example.org does not say":                          txt("example.org", "v=spf10 -all"),
		"has 2 records that begin":                               txt("example.org", "v=spf1 -all", "V=SPF1 mx -all"),
		"lets any server send":                                   txt("example.org", "v=spf1 mx +all"),
		"example.org could not be looked up: server misbehaving": func(z *zone) { z.broken = "example.org" },
		record:                                   txt("one._domainkey.example.org", another),
		"The TXT record":                         func(z *zone) { delete(z.texts, "one._domainkey.example.org") },
		"no policy":                              func(z *zone) { delete(z.texts, "_dmarc.example.org") },
		"DMARC: example.org has no valid policy": txt("_dmarc.example.org", "v=DMARC1"),
	} {
		t.Run(want, func(t *testing.T) {
			z := soundZone(record)
			damage(&z)
			if wrong, _ := examined(m, z); !strings.Contains(wrong, want) {
				t.Errorf("must change:\n%s", wrong)
			}
		})
	}
}

func TestReverseNamesOfAnOwnMailServerAreChecked(t *testing.T) {
	// Nobody answers there, which is found, too.
	m, _ := mailing(t, mail.Options{SMTP: "smtp://localhost:1", From: "blog@localhost"})
	for name, damage := range map[string]func(*zone){
		"no name":                         func(z *zone) { z.names = nil },
		"a name with another address":     func(z *zone) { z.names["192.0.2.1"] = []string{"other.example.net."} },
		"a name server that fails":        func(z *zone) { z.broken = "192.0.2.1" },
		"no failure, only the connection": func(*zone) {},
	} {
		t.Run(name, func(t *testing.T) {
			z := soundZone("")
			damage(&z)
			wrong, _ := examined(m, z)
			if strings.Contains(wrong, "192.0.2.1") != (name != "no failure, only the connection") ||
				!strings.Contains(wrong, "The mail server localhost cannot be used") {
				t.Errorf("must change:\n%s", wrong)
			}
		})
	}
}

func TestPolicyOfTheWholeDomainCounts(t *testing.T) {
	_, address := posted(t)
	m, _ := mailing(t, mail.Options{SMTP: address, From: "blog@news.example.org", Bounces: "b@example.net"})
	z := soundZone("")
	z.texts["example.net"] = []string{"v=spf1 redirect=example.org"}
	list := m.Examine(t.Context(), z)
	if slices.ContainsFunc(list, func(f mail.Finding) bool { return f.Wrong }) || !slices.ContainsFunc(list,
		func(f mail.Finding) bool {
			return strings.Contains(f.Text, "Mails return to example.net, another domain")
		}) {
		t.Errorf("found %v", list)
	}
}

func TestWithoutAMailServerThereIsOneThingToChange(t *testing.T) {
	m, _ := mailing(t, mail.Options{})
	if wrong, n := examined(m, zone{}); n != 1 || !strings.Contains(wrong, "INKFEED_SMTP_URL") {
		t.Errorf("%d findings:\n%s", n, wrong)
	}
}
