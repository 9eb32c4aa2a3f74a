package domain_test

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"inkfeed/domain"
	"inkfeed/domain/names"
)

// allocated returns the number of bytes that f allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// Each of these texts is as long as a form may be, and NFKC makes it eleven times longer.
func TestTooLongTextIsRejectedWithoutNormalisingIt(t *testing.T) {
	const most = 1 << 20 // bytes
	long := strings.Repeat("ﷺ", 1_900_000/len("ﷺ"))
	address := "ada@" + long + ".example"
	for name, refuse := range map[string]func() error{
		"names that a password is compared with": func() error {
			return domain.CheckNewPassword("password", long,
				address)
		},
		"usernames": func() error {
			_, err := domain.NewUser(long, time.Now())
			return err
		},
		"e-mail addresses": func() error {
			_, err := domain.CleanEmail(address)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			var err error
			if bytes := allocated(func() { err = refuse() }); bytes > most {
				t.Errorf("allocated %d bytes for a text of %d bytes", bytes, len(long))
			}
			if !domain.Is(err, domain.Invalid) {
				t.Errorf("error: %v", err)
			}
		})
	}
}

func TestPasswordMustNotContainTheLongestNames(t *testing.T) {
	for _, name := range []string{
		strings.Repeat("abcdefghij", domain.MaxEmail)[:domain.MaxEmail-len("@lantern.example")] + "@lantern.example",
		"lantern " + strings.Repeat("木", names.MaxDisplayName-8),
		strings.Repeat(" ", 1000) + "lantern",
	} {
		if err := domain.CheckNewPassword("lantern-lantern-77", name); err == nil {
			t.Errorf("%.20q: the password is accepted", name)
		}
	}
}

func TestTooLongTagIsRejectedWithoutNormalisingIt(t *testing.T) {
	long := strings.Repeat("ﷺ", 1_900_000/len("ﷺ"))
	var err error
	if bytes := allocated(func() { _, err = domain.CleanTags(long) }); bytes > 16<<20 {
		t.Errorf("allocated %d bytes for a text of %d bytes", bytes, len(long))
	}
	if !domain.Is(err, domain.Invalid) {
		t.Errorf("error: %v", err)
	}
}
