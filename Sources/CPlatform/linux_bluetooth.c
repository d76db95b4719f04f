// The kernel's interface to HCI sockets and serial ports. Its numbers and structures are those of the kernel's
// documentation and user-space headers; the C library does not declare the Bluetooth ones.

#define _GNU_SOURCE

#include "linux_bluetooth.h"

#if defined(__linux__)

#include <asm/ioctls.h>
#include <asm/termbits.h>
#include <endian.h>
#include <errno.h>
#include <linux/capability.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef AF_BLUETOOTH
#define AF_BLUETOOTH 31
#endif

enum { hci_protocol = 1, hci_user_channel = 1, hci_control_channel = 3, hci_no_device = 0xFFFF, hci_up_flag = 1 };

struct hci_address {
    sa_family_t family;
    uint16_t index;
    uint16_t channel;
};

struct hci_device_information {
    uint16_t index;
    char name[8];
    uint8_t address[6];
    uint32_t flags;
    uint8_t type;
    uint8_t features[8];
    uint32_t packet_types;
    uint32_t link_policy;
    uint32_t link_mode;
    uint16_t acl_length;
    uint16_t acl_count;
    uint16_t synchronous_length;
    uint16_t synchronous_count;
    uint32_t statistics[10];
};

#define HCI_DEVICE_DOWN _IOW('H', 202, int)
#define HCI_GET_DEVICE_INFORMATION _IOR('H', 211, int)

static int result(int value) { return value < 0 ? errno : 0; }

int linux_hci_socket(int *descriptor) {
    *descriptor = socket(AF_BLUETOOTH, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, hci_protocol);
    return result(*descriptor);
}

enum {
    l2cap_protocol = 0,
    bluetooth_options = 274,
    security_option = 4,
    send_mtu_option = 12,
    receive_mtu_option = 13,
};

struct l2cap_address {
    sa_family_t family;
    uint16_t psm;
    uint8_t address[6];
    uint16_t cid;
    uint8_t type;
};

struct l2cap_security {
    uint8_t level;
    uint8_t key_size;
};

static struct l2cap_address l2cap_address(const uint8_t address[6], bool is_random, uint16_t psm) {
    struct l2cap_address place = {.family = AF_BLUETOOTH, .psm = htole16(psm), .type = is_random ? 2 : 1};
    memcpy(place.address, address, sizeof place.address);
    return place;
}

int linux_l2cap_socket(
    int *descriptor, const uint8_t address[6], bool is_random, uint16_t psm, uint8_t level, uint16_t mtu) {
    int made = socket(AF_BLUETOOTH, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, l2cap_protocol);
    if (made < 0) return errno;
    struct l2cap_address place = l2cap_address(address, is_random, psm);
    struct l2cap_security security = {.level = level};
    // Before the socket has an address of Bluetooth LE, the kernel refuses the length of SDUs.
    if (bind(made, (struct sockaddr *)&place, sizeof place) < 0
        || setsockopt(made, bluetooth_options, security_option, &security, sizeof security) < 0
        || setsockopt(made, bluetooth_options, receive_mtu_option, &mtu, sizeof mtu) < 0) {
        int error = errno;
        close(made);
        return error;
    }
    *descriptor = made;
    return 0;
}

int linux_l2cap_connect(int descriptor, const uint8_t address[6], bool is_random, uint16_t psm) {
    struct l2cap_address place = l2cap_address(address, is_random, psm);
    int error = result(connect(descriptor, (struct sockaddr *)&place, sizeof place));
    return error == EINPROGRESS ? 0 : error;
}

int linux_l2cap_accept(int listener, int *descriptor, uint8_t address[6], bool *is_random) {
    struct l2cap_address place;
    socklen_t length = sizeof place;
    *descriptor = accept4(listener, (struct sockaddr *)&place, &length, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (*descriptor < 0) return errno;
    memcpy(address, place.address, sizeof place.address);
    *is_random = place.type == 2;
    return 0;
}

int linux_l2cap_send_limit(int descriptor, uint16_t *limit) {
    socklen_t length = sizeof *limit;
    return result(getsockopt(descriptor, bluetooth_options, send_mtu_option, limit, &length));
}

int linux_bluetooth_is_drained(int descriptor, bool *is_drained) {
    int available = 0, all = 0;
    socklen_t length = sizeof all;
    int error = result(getsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &all, &length));
    if (!error) error = result(ioctl(descriptor, TIOCOUTQ, &available));
    // Bluetooth sockets answer with the room that is left.
    *is_drained = available >= all;
    return error;
}

int linux_unix_unread(int descriptor, int *count) { return result(ioctl(descriptor, TIOCOUTQ, count)); }

typedef struct __user_cap_data_struct capability_set[_LINUX_CAPABILITY_U32S_3];

/// Makes the capability of network administration effective for this thread if it is permitted. A program's file may
/// permit it without making it effective: the kernel then starts the program even if the capability is unavailable.
///
/// - Returns: Whether something has changed, which `before` undoes.
static bool begin_administration(capability_set before) {
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
    const uint32_t administration = 1u << CAP_NET_ADMIN;
    if (syscall(SYS_capget, &header, before) < 0) return false;
    if (before[0].effective & administration || !(before[0].permitted & administration)) return false;
    capability_set raised;
    memcpy(raised, before, sizeof raised);
    raised[0].effective |= administration;
    return syscall(SYS_capset, &header, raised) == 0;
}

static void end_administration(bool has_begun, capability_set before) {
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
    if (has_begun) syscall(SYS_capset, &header, before);
}

int linux_hci_take_down(int descriptor, uint16_t index) {
    capability_set before;
    bool has_begun = begin_administration(before);
    int error = result(ioctl(descriptor, HCI_DEVICE_DOWN, (unsigned long)index));
    end_administration(has_begun, before);
    return error;
}

int linux_hci_bind_user_channel(int descriptor, uint16_t index) {
    struct hci_address address = {.family = AF_BLUETOOTH, .index = index, .channel = hci_user_channel};
    capability_set before;
    bool has_begun = begin_administration(before);
    int error = result(bind(descriptor, (struct sockaddr *)&address, sizeof address));
    end_administration(has_begun, before);
    return error;
}

int linux_hci_bind_management(int descriptor) {
    struct hci_address address = {.family = AF_BLUETOOTH, .index = hci_no_device, .channel = hci_control_channel};
    return result(bind(descriptor, (struct sockaddr *)&address, sizeof address));
}

int linux_hci_get_information(int descriptor, uint16_t index, struct linux_hci_information *information) {
    struct hci_device_information device;
    memset(&device, 0, sizeof device);
    device.index = index;
    if (ioctl(descriptor, HCI_GET_DEVICE_INFORMATION, &device) < 0) return errno;
    memcpy(information->address, device.address, sizeof information->address);
    information->bus = device.type & 0x0F;
    information->is_up = (device.flags & hci_up_flag) != 0;
    return 0;
}

int linux_serial_configure(int descriptor, uint32_t speed) {
    struct termios2 settings;
    if (ioctl(descriptor, TCGETS2, &settings) < 0) return errno;
    // A break condition is not an octet; everything else arrives as it was sent.
    settings.c_iflag = IGNBRK;
    settings.c_oflag = 0;
    settings.c_lflag = 0;
    // The modem lines are ignored, and do not change when the port is closed and opened again.
    settings.c_cflag = CS8 | CREAD | CLOCAL | CRTSCTS | BOTHER | (BOTHER << IBSHIFT);
    settings.c_ispeed = speed;
    settings.c_ospeed = speed;
    // With zero here, a read without data would look like the end of the stream.
    settings.c_cc[VMIN] = 1;
    settings.c_cc[VTIME] = 0;
    return result(ioctl(descriptor, TCSETS2, &settings));
}

int linux_serial_get_speed(int descriptor, uint32_t *speed) {
    struct termios2 settings;
    if (ioctl(descriptor, TCGETS2, &settings) < 0) return errno;
    *speed = settings.c_ospeed;
    return 0;
}

int linux_serial_is_attached(int descriptor, bool *attached) {
    int discipline = 0;
    if (ioctl(descriptor, TIOCGETD, &discipline) < 0) return errno;
    // Zero is the line discipline of a terminal, from which programs read.
    *attached = discipline != 0;
    return 0;
}

int linux_serial_make_exclusive(int descriptor) { return result(ioctl(descriptor, TIOCEXCL)); }

int linux_serial_stop_flow_control(int descriptor) {
    struct termios2 settings;
    if (ioctl(descriptor, TCGETS2, &settings) < 0) return errno;
    settings.c_cflag &= ~CRTSCTS;
    return result(ioctl(descriptor, TCSETS2, &settings));
}

#endif
