// Package domain holds users, posts, comments, likes and the rules that they obey, independently of how they
// are stored or shown. Of this module it imports only names, plaintext, locale, palette and siteinfo.
//
// Values are plain structs. Constructors named New… validate what a form sent and report all invalid fields at
// once: see Error.
package domain
