// Functions for what Swift cannot express on Linux: the Bluetooth sockets, which the C library does not declare, and
// serial ports at any speed, whose declarations clash with those of the C library. Each function is one or two system
// calls and returns zero or an error number of the system.

#ifndef LINUX_BLUETOOTH_H
#define LINUX_BLUETOOTH_H

#if defined(__linux__)

#include <stdbool.h>
#include <stdint.h>

/// Creates a raw, non-blocking HCI socket that is not yet bound to an adapter.
int linux_hci_socket(int *descriptor);

/// Takes an adapter down, as `hciconfig hci0 down` does.
int linux_hci_take_down(int descriptor, uint16_t index);

/// Binds the socket to the user channel of an adapter, which powers the adapter up; this can take seconds.
int linux_hci_bind_user_channel(int descriptor, uint16_t index);

/// Binds the socket to the kernel's management of all adapters; some of its commands need no privileges.
int linux_hci_bind_management(int descriptor);

/// The kernel's information on an adapter.
struct linux_hci_information {
    /// Least significant octet first; zeros until the adapter was up.
    uint8_t address[6];
    /// The kernel's number of the bus.
    uint8_t bus;
    bool is_up;
};

/// Asks the kernel about an adapter, on any HCI socket.
int linux_hci_get_information(int descriptor, uint16_t index, struct linux_hci_information *information);

/// Makes a non-blocking L2CAP socket that keeps the boundaries of SDUs, on an adapter's address, least significant
/// octet first. `psm` is an LE PSM; 0 lets the kernel choose one. `level` is the security that a link needs, 1 (none)
/// to 4 (LE Secure Connections), and `mtu` the longest SDU that is received.
int linux_l2cap_socket(
    int *descriptor, const uint8_t address[6], bool is_random, uint16_t psm, uint8_t level, uint16_t mtu);

/// Begins to connect to a device; the socket is writable when this has ended.
int linux_l2cap_connect(int descriptor, const uint8_t address[6], bool is_random, uint16_t psm);

/// Takes a channel that a device has opened; `address` is that of the device.
int linux_l2cap_accept(int listener, int *descriptor, uint8_t address[6], bool *is_random);

/// The longest SDU that the device takes.
int linux_l2cap_send_limit(int descriptor, uint16_t *limit);

/// Whether the kernel has sent everything that was written to a Bluetooth socket.
int linux_bluetooth_is_drained(int descriptor, bool *is_drained);

/// The number of octets that the other end of a Unix socket has not read yet.
int linux_unix_unread(int descriptor, int *count);

/// Makes a serial port raw, with eight bits, no parity, one stop bit, RTS/CTS flow control and any speed.
int linux_serial_configure(int descriptor, uint32_t speed);

/// The actual speed of a serial port.
int linux_serial_get_speed(int descriptor, uint32_t *speed);

/// Whether a kernel driver has attached to a serial port.
int linux_serial_is_attached(int descriptor, bool *attached);

/// Keeps other processes, except the superuser's, from opening the port.
int linux_serial_make_exclusive(int descriptor);

/// Disables flow control, so that waiting octets are sent whether the other end is ready or not.
int linux_serial_stop_flow_control(int descriptor);

#endif
#endif
