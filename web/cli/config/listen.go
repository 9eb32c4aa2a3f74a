package config

import (
	"fmt"
	"net"
	"os"
	"strconv"
)

// Listen listens on the configured address, or returns the socket of systemd for it.
func (c *Config) Listen() (net.Listener, error) {
	listener, err := c.Inherited()
	if listener == nil && err == nil {
		listener, err = net.Listen("tcp", c.Addr)
	}
	if err != nil {
		return nil, fmt.Errorf("--addr or INKFEED_ADDR: %w", err)
	}
	return listener, nil
}

// firstInherited is the number of the first socket that systemd passes: see sd_listen_fds(3).
const firstInherited = 3

// Inherited returns the socket that systemd has opened for the configured address and passed to this process, or nil if
// there is none. systemd keeps such a socket open when the process ends, so connections wait there for the next process
// and a restart refuses none.
func (c *Config) Inherited() (net.Listener, error) {
	if c.getenv("LISTEN_PID") != strconv.Itoa(os.Getpid()) {
		return nil, nil
	}
	if n := c.getenv("LISTEN_FDS"); n != "1" {
		return nil, fmt.Errorf("systemd passes %s sockets to this process, not 1", n)
	}
	file := os.NewFile(firstInherited, "socket of systemd")
	defer file.Close()
	listener, err := net.FileListener(file)
	if err != nil {
		return nil, fmt.Errorf("socket of systemd: %w", err)
	}
	if addr := listener.Addr().String(); addr != c.Addr { // which the checks of other settings have seen
		listener.Close()
		return nil, fmt.Errorf("%s, but systemd listens on %s", c.Addr, addr)
	}
	return listener, nil
}
