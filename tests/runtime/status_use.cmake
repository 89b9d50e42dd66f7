# CASE used: status_use.cpp compiles. CASE ignored: it does not, because of the status that is thrown away.
set(define "")
if(CASE STREQUAL "ignored")
  set(define -DIGNORED)
endif()
execute_process(COMMAND "${COMPILER}" -std=c++20 -fsyntax-only -Wall -Wextra -Werror "-I${HEADERS}" "-I${GENERATED_HEADERS}" ${define} "${SOURCE}"
  RESULT_VARIABLE status ERROR_VARIABLE errors)
if(CASE STREQUAL "used" AND NOT status EQUAL 0)
  message(FATAL_ERROR "status_use.cpp does not compile:\n${errors}")
endif()
if(CASE STREQUAL "ignored" AND (status EQUAL 0 OR NOT errors MATCHES "nodiscard|unused-result|unused-value"))
  message(FATAL_ERROR "an ignored status went unnoticed, or something else is wrong:\n${errors}")
endif()
