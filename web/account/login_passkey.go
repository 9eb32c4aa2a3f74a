package account

import (
	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/domain/names"
	"inkfeed/web/credential"
	"inkfeed/web/factor"
)

// byPasskey returns the user who has answered with a passkey. The passkey's device verifies its
// holder, so no other factor is required. byPasskey reads the user, by the id that the answer
// claims, before it checks the answer; see signIn.
func (h login) byPasskey(c echo.Context, answer string) (domain.User, error) {
	ctx := c.Request().Context()
	_, claimed, err := factor.ParseAnswer([]byte(answer))
	if err != nil {
		return domain.User{}, err
	}
	u, err := h.store.Users.Account(ctx, claimed)
	if domain.Is(err, domain.NotFound) {
		err = credential.ErrUnknownPasskey
	}
	if err != nil {
		return domain.User{}, err
	}
	at, _ := credential.PasskeySite(h.Site, c)
	if _, err = h.factors.CheckPasskey(ctx, at, credential.ForLogin, u.ID, answer); err == nil {
		h.guard.remember(c, names.NameKey(u.Username))
	}
	return u, err
}
