// Files that permit a program an adapter permanently: a systemd unit and a udev rule, to be installed by hand. The
// service of our packages has the same unit, with its own user and its own file of arguments.

import BluetoothTransport

/// The unit and the rule.
struct SetupFiles {
    /// The program's executable.
    var program: String?
    var listing: AdapterListing

    /// Both files, each after a line with its path, and before them the steps to take first.
    var text: String { self.installation + self.unit + "\n" + self.rule }

    /// The unit of the packaged service: it takes its arguments from a file, waits for the adapter that
    /// they name, and has only the privileges that it needs.
    var packagedUnit: String {
        unit(
            dependencies: """
                Description=OpenCoreBluetooth: what /etc/default/%N says
                Documentation=man:corebluetooth(1)
                After=bluetooth.service network.target
                """,
            command: """
                Type=notify
                WatchdogSec=30
                EnvironmentFile=/etc/default/%N
                ExecStart=\(quotedFile) $ARGUMENTS
                User=opencorebluetooth
                Group=opencorebluetooth
                # Controllers on serial ports.
                SupplementaryGroups=dialout
                DevicePolicy=closed
                DeviceAllow=char-ttyACM rw
                DeviceAllow=char-ttyUSB rw
                DeviceAllow=char-ttyAMA rw
                LockPersonality=yes
                MemoryDenyWriteExecute=yes
                NoNewPrivileges=yes
                PrivateTmp=yes
                ProtectClock=yes
                ProtectControlGroups=yes
                ProtectHome=yes
                ProtectHostname=yes
                ProtectKernelLogs=yes
                ProtectKernelModules=yes
                ProtectKernelTunables=yes
                ProtectSystem=strict
                RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_BLUETOOTH
                RestrictNamespaces=yes
                RestrictRealtime=yes
                RestrictSUIDSGID=yes
                SystemCallArchitectures=native
                SystemCallFilter=@system-service
                UMask=0027
                """
        )
    }

    private var adapter: String { listing.adapters.first?.name.description ?? "hci0" }

    /// The program's path as a service: every user may run what is in the system's folders.
    private var file: String {
        guard let program else { return "/usr/local/bin/PROGRAM" }
        return isInSystemFolder(program)
            ? program : "/usr/local/bin/" + (program.split(separator: "/").last ?? "PROGRAM")
    }

    private func isInSystemFolder(_ file: String) -> Bool { ["/usr/", "/opt/"].contains(where: file.hasPrefix) }

    private var installation: String {
        guard let program, !isInSystemFolder(program) else { return "" }
        return """
            # The service's user may not look into your folders, and finds no Swift there: build the program with
            # --static-swift-stdlib, and put it where every user may run it:
            #     sudo install \(shellQuoted(program)) \(shellQuoted(file))


            """
    }

    /// The command of one of our programs that is a service; `nil` for other programs, which report nothing to systemd
    /// as a rule.
    private var serviceCommand: String? {
        switch name {
        case "corebluetooth": "advertise"
        case "eightball", "blueear": "peripheral"
        default: nil
        }
    }

    private var start: String {
        guard let serviceCommand else { return "ExecStart=\(quotedFile)" }
        return "Type=notify\nWatchdogSec=30\nExecStart=\(quotedFile) \(serviceCommand)"
    }

    /// A file as a unit takes it, in quotation marks (systemd.service(5), systemd.unit(5)).
    private var quotedFile: String {
        let escaped = file.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("%", with: "%%")
        return "\"\(escaped)\""
    }

    private var name: String {
        let last = file.split(separator: "/").last.map(String.init) ?? "program"
        return String(last.map { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") ? $0 : "-" })
    }

    private var unit: String {
        unit(
            dependencies: """
                Description=\(name) on \(adapter)
                # The system's own service is stopped, so that it releases the adapter while this one runs.
                Conflicts=bluetooth.service
                Wants=sys-subsystem-bluetooth-devices-\(adapter).device
                After=bluetooth.service sys-subsystem-bluetooth-devices-\(adapter).device
                """,
            command: """
                \(start)
                Environment=COREBLUETOOTH_ADAPTER=\(adapter)
                DynamicUser=yes
                """
        )
    }

    private func unit(dependencies: String, command: String) -> String {
        """
        # /etc/systemd/system/\(name).service
        [Unit]
        \(dependencies)
        # As long as it has no adapter it is started again and again.
        StartLimitIntervalSec=0

        [Service]
        ExecStartPre=-+rfkill unblock bluetooth
        \(command)
        AmbientCapabilities=CAP_NET_ADMIN CAP_NET_RAW
        CapabilityBoundingSet=CAP_NET_ADMIN CAP_NET_RAW
        StateDirectory=\(name)
        RuntimeDirectory=\(name)
        Environment=XDG_STATE_HOME=%S/\(name) XDG_RUNTIME_DIR=%t/\(name)
        Restart=on-failure
        RestartSec=5

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
