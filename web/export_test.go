package web

import (
	"net/http"

	"github.com/alexedwards/argon2id"
)

// NewQuick is New with passwords that cost next to nothing to hash, so that a
// test can sign up many users.
func NewQuick(c Config) (http.Handler, error) {
	return newHandler(c, newPasswordsWith(&argon2id.Params{Memory: 64, Iterations: 1, Parallelism: 1, SaltLength: 16, KeyLength: 32}))
}

// StatusOf is the table from kinds to statuses.
var StatusOf = statusOf
