// What permits a program an adapter for good: a unit for systemd and a rule for udev, to be put in place by hand.

import BluetoothTransport

/// Files of the system's set-up.
struct SetupFiles {
    /// The file of the program.
    var program: String?
    var listing: AdapterListing

    /// Both files, each behind a line that names its place.
    var text: String { self.unit + "\n" + self.rule }

    private var adapter: String { listing.adapters.first?.name.description ?? "hci0" }
    private var file: String { program ?? "/usr/local/bin/PROGRAM" }

    private var name: String {
        let last = file.split(separator: "/").last.map(String.init) ?? "program"
        return String(last.map { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") ? $0 : "-" })
    }

    private var unit: String {
        """
        # /etc/systemd/system/\(name).service
        [Unit]
        Description=\(name) on \(adapter)
        # The system's own service is stopped, so that it releases the adapter while this one runs.
        Conflicts=bluetooth.service
        Wants=sys-subsystem-bluetooth-devices-\(adapter).device
        After=bluetooth.service sys-subsystem-bluetooth-devices-\(adapter).device

        [Service]
        ExecStartPre=-+rfkill unblock bluetooth
        ExecStart="\(file)" --adapter \(adapter)
        DynamicUser=yes
        AmbientCapabilities=CAP_NET_ADMIN CAP_NET_RAW
        CapabilityBoundingSet=CAP_NET_ADMIN CAP_NET_RAW
        StateDirectory=\(name)
        Environment=XDG_STATE_HOME=%S/\(name)
        Restart=on-failure

        [Install]
        WantedBy=multi-user.target

        """
    }

    private var rule: String {
        """
        # /etc/udev/rules.d/70-\(name).rules
        # An adapter that is plugged in is switched on.
        ACTION=="add", SUBSYSTEM=="bluetooth", KERNEL=="hci[0-9]*", RUN+="/usr/sbin/rfkill unblock bluetooth"
        # A controller on a USB serial port belongs to the user of this seat, and no modem program uses it.
        SUBSYSTEM=="tty", KERNEL=="ttyACM[0-9]*", TAG+="uaccess", ENV{ID_MM_DEVICE_IGNORE}="1"
        """
    }
}
