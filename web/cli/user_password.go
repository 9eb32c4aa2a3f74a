package cli

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"inkfeed/domain"
	"inkfeed/web/cli/config"
	"inkfeed/web/credential"
)

func setupUserPassword(c *config.Config) func(context.Context, output) error {
	var typed bool
	c.Bind(config.Switch("stdin", &typed,
		"read the password from the first line of the standard input, or ask for it on a terminal; without this "+
			"flag, a password is generated and printed"))
	return aboutUser(c, func(ctx context.Context, s subject) error {
		password, err := newPassword(), error(nil)
		if typed {
			if password, err = readPassword(os.Stdin, s.out.stderr); err == nil {
				err = s.checkPassword(ctx, password)
			}
			if err != nil {
				return fmt.Errorf("--stdin: %s", plainly(err))
			}
		}
		if err := s.setPassword(ctx, password); err != nil {
			return err
		}
		err = errors.Join(s.record(ctx, domain.AuditPassword, "", ""), s.deleteSessions(ctx))
		if typed {
			s.say("%s has a new password, and is logged out everywhere.", s.Username)
		} else {
			s.say("The password of %s is now\n\n    %s\n\nand is not shown again. %s is logged out everywhere.",
				s.Username, password, s.Username)
		}
		return err
	})
}

// setPassword sets the password and leaves the other ways to log in unchanged.
func (s subject) setPassword(ctx context.Context, password string) error {
	hash, err := credential.HashPassword(ctx, password)
	if err != nil {
		return err
	}
	return s.store.Credentials.SetPassword(ctx, s.ID, hash)
}

// newPassword returns a password of 100 random bits that is easy to read out.
func newPassword() string {
	text := strings.ToLower(rand.Text())
	return text[:5] + "-" + text[5:10] + "-" + text[10:15] + "-" + text[15:20]
}

// readPassword reads the first line. A terminal does not display it.
func readPassword(from *os.File, ask io.Writer) (password string, err error) {
	if term.IsTerminal(int(from.Fd())) {
		fmt.Fprint(ask, "New password: ")
		var line []byte
		line, err = term.ReadPassword(int(from.Fd()))
		fmt.Fprintln(ask)
		password = string(line)
	} else if password, err = bufio.NewReader(io.LimitReader(from, 4096)).ReadString('\n'); err == io.EOF {
		err = nil
	}
	return strings.TrimRight(password, "\r\n"), err
}

// checkPassword returns an error if a password is not acceptable for the user.
func (s subject) checkPassword(ctx context.Context, password string) error {
	credentials, err := s.store.Credentials.Get(ctx, s.ID)
	if err != nil {
		return err
	}
	settings, err := s.store.Settings.Get(ctx)
	if err != nil {
		return err
	}
	names := credential.PasswordNames(s.User, credentials)
	return domain.CheckNewPassword(password, append(names, settings.Info.Name)...)
}

func setupUserFactors(c *config.Config) func(context.Context, output) error {
	return aboutUser(c, func(ctx context.Context, s subject) error {
		before, err := s.store.Credentials.Get(ctx, s.ID)
		if err != nil {
			return err
		}
		after, err := s.store.Credentials.ClearFactors(ctx, s.ID)
		if err != nil {
			return err
		}
		if after.Version != before.Version {
			err = errors.Join(s.record(ctx, domain.AuditFactors, "", ""), s.deleteSessions(ctx))
			s.say("The second factors of %s are gone, and %s is logged out everywhere.", s.Username, s.Username)
		} else {
			s.say("%s has no second factor.", s.Username)
		}
		if after.PasswordHash == "" {
			s.say("The account has no password, so its passkeys stay: they are the only way to log in. " +
				"If they are lost too, set a password with user password first.")
		}
		return err
	})
}
