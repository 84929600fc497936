"""Takes out of a text what can't be the same twice, and nothing else. Applied to both sides before they are compared.

Job ids are not touched here: those of the run are turned into those of the transcript first (see Ids).
"""
import re
from datetime import datetime, timedelta

DAY, MONTH = r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)", r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"

# (pattern, replacement), in this order.
RULES = [
    # Fri Nov 20 23:18:32 2026 / Fri Nov 20 at 23:18 / 11/20/2026 23:18:32. A date a user asked for (qsub -a) stays.
    (rf"(?m)^(    Execution_Time = ){DAY} ({MONTH} +\d+ \d\d:\d\d:\d\d \d{{4}})$", r"\1\2"),
    (rf"\b{DAY} {MONTH} +\d+ \d\d:\d\d:\d\d \d{{4}}\b", "<date>"),
    (rf"\b{DAY} {MONTH} +\d+ \d\d:\d\d:\d\d\b", "<date>"),
    (rf"\b{DAY} {MONTH} +\d+ at \d\d:\d\d\b", "<date>"),
    # pbs_rstat: Today 01:43 / Sat 01:18 / Sun Nov 22 03:18, in columns.
    (rf" *\b(?:Today|{DAY}|{DAY} {MONTH} \d\d) \d\d:\d\d / (\d+) / (?:Today|{DAY}|{DAY} {MONTH} \d\d) \d\d:\d\d *", r" <time> / \1 / <time>"),
    (r"\b\d\d/\d\d/\d{4} \d\d:\d\d:\d\d(?:\.\d+)?\b", "<date>"),
    # Numbers of this run.
    (r"(?m)^(    (?:session_id|queue_rank|history_timestamp) = )\d+$", r"\1<n>"),
    (r'("(?:session_id|queue_rank|timestamp|history_timestamp|last_state_change_time|last_used_time)":\t)\d+', r"\1<n>"),
    (r"\b((?:session_id|queue_rank|history_timestamp|last_state_change_time|last_used_time)=)\d+", r"\1<n>"),
    (r"(?m)^(\s+last_(?:state_change|used)_time = )\d+$", r"\1<n>"),
    (r"\b(ctime|qtime|etime|start|end)=[1-9]\d{8,}\b", r"\1=<time>"),
    (r"\bsession=\d+\b", "session=<n>"),
    # What the job used.
    (r"(?m)^(    resources_used\.(?:cpupercent|cput|mem|vmem|walltime) = ).*$", r"\1<used>"),
    (r"\b(resources_used\.(?:cpupercent|cput|mem|vmem|walltime)=)[^ |\n]*", r"\1<used>"),
    (r'(?<=\t)("(?:cpupercent|cput|vmem)":\t)"?[^",\n]*"?', r"\1<used>"),
    # Of this version and machine.
    (r"\bpbs_version = \S+", "pbs_version = <version>"),
    (r'("pbs_version":\t)"[^"]*"', r"\1<version>"),
    (r"\bpbs_version=[^|\n]*", "pbs_version=<version>"),
    (r"\bpcpus = \d+", "pcpus = <n>"),
    (r'("pcpus":\t)\d+', r"\1<n>"),
    (r"\bpcpus=\d+", "pcpus=<n>"),
    # Columns of qstat, whose width says nothing: CPU time of a running job, session, elapsed time.
    (r"(?m)^(\S+\.\w+ .*)\b\d\d:\d\d:\d\d( [A-Z] )", r"\1<time>\2"),
    (r"(?m)^(\S+\.\w+ +\S+ +\S+ +\S+) +\d+( +\d+ +\d+ +\S+ +\S+ +[A-Z] )", r"\1 <session>\2"),
    (r"(?m)^(\S+\.\w+ .* [RESFX] +)\d\d:\d\d\b", r"\1<time>"),
]
COMPILED = [(re.compile(pattern), replacement) for pattern, replacement in RULES]

# "resources_used": {...} of JSON: mem and walltime have the same names as in Resource_List.
JSON_USED = re.compile(r'("resources_used":\t\{)([^}]*)(\})')


def normal(text):
    text = JSON_USED.sub(lambda m: m[1] + re.sub(r'(":\t)"?[^",\n]*"?', r"\1<used>", m[2]) + m[3], text)
    for pattern, replacement in COMPILED:
        text = pattern.sub(replacement, text)
    return text


class Ids:
    """Which job of this run plays which job of the transcript, reservations too. Numbers only: 34 of the transcript may be 3 here.
    Dates that are asked for are moved from the transcript's clock to this run's."""

    def __init__(self, server, now=datetime.now):
        self.server, self.now = server, now
        self.here = {}      # transcript's number -> this run's
        self.moved = None   # what to add to the transcript's dates

    def set_clock(self, transcripts, here):
        self.moved = here - transcripts

    def learn(self, transcript, here):
        self.here[str(transcript)] = str(here)

    def to_run(self, command):
        """A command of the transcript, about this run's jobs. <+6s>: in six seconds."""
        command = re.sub(r"<\+(\d+)s>", lambda m: (self.now() + timedelta(seconds=int(m[1]))).strftime("%Y%m%d%H%M.%S"), command)
        return self.move_dates(self.replace(command, self.here, self.server))

    def to_transcript(self, text):
        return self.replace(text, {here: there for there, here in self.here.items()}, self.server)

    def move_dates(self, command):
        if self.moved is None:
            return command

        def later(match):
            form = "%Y%m%d%H%M" if len(match[2]) == 12 else "%H%M"
            form, text = (form + ".%S", match[2] + match[3]) if match[3] else (form, match[2])
            return match[1] + (datetime.strptime(text, form).replace(**({} if len(match[2]) == 12 else {"year": 2000})) + self.moved).strftime(form)
        return re.sub(r"(-[RE] )(\d{12}|\d{4})(\.\d\d)?(?!\S)", later, command)

    @staticmethod
    def replace(text, numbers, server):
        def renumber(match):
            if match[5]:
                return numbers.get(match[5], match[5])
            fresh = match[1] + numbers.get(match[2], match[2]) + match[3]
            in_column = len(match[4]) > 1       # the blanks after it belong to its column
            return fresh.ljust(len(match[0])) if in_column else fresh + match[4]
        array = r"(?<![\w.])(?<!\d:)(\d+)(?=\[)"   # also without the server: 34[], 34[2-5], 34[x
        text = re.sub(rf"(?<![\w.])([RSM]?)(\d+)((?:\[[^\]\s]*\])?\.{server}\b)( *)|{array}", renumber, text)
        text = re.sub(r"(?<![\w.])([RSM])(\d+)(?![\w.])()( *)()", renumber, text)   # queues of reservations
        # The end of a default output file: job.o34.
        return re.sub(r"(\.[oe])(\d+)\b", lambda m: m[1] + numbers.get(m[2], m[2]), text)
