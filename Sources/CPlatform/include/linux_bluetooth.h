// What Swift cannot express on Linux: the Bluetooth sockets, which the C library does not declare, and serial ports at
// any speed, whose declarations clash with those of the C library. Each function is one or two system calls and
// returns zero or an error number of the system.

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
